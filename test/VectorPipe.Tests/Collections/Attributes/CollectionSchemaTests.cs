using NUnit.Framework;

namespace VectorPipe.Tests.Collections.Attributes;

public sealed class CollectionSchemaTests
{
    private static readonly CollectionSchema _schema = new()
    {
        Dimension = 128,
        Attributes = [new("year", AttributeType.Int64), new("lang", AttributeType.String)],
    };

    private static IEnumerable<TestCaseData> Refused =>
    [
        new TestCaseData(_schema with { Dimension = 0 }, "Dimension", "1 to 32,768"),
        new TestCaseData(_schema with { Dimension = 32_769 }, "Dimension", "1 to 32,768"),
        new TestCaseData(_schema with { Metric = 0 }, "Metric", "a known metric"),
        new TestCaseData(_schema with { ElementType = (VectorElementType)5 }, "ElementType", "a known element type"),
        new TestCaseData(_schema with { Attributes = null! }, "Attributes", "a list"),
        new TestCaseData(_schema with { Attributes = Many(65) }, "Attributes", "at most 64 attributes"),
        new TestCaseData(_schema with { Attributes = [null!] }, "Attributes[0]", "an attribute with a name"),
        new TestCaseData(WithName(null!), "Attributes[0]", "an attribute with a name"),
        new TestCaseData(WithName(""), "Attributes[0]", "1 to 128 bytes"),
        new TestCaseData(WithName(new string('é', 65)), "Attributes[0]", "1 to 128 bytes"),
        new TestCaseData(WithName("\uD800"), "Attributes[0]", "1 to 128 bytes"),
        new TestCaseData(
            _schema with { Attributes = [.. _schema.Attributes, new("year", AttributeType.Guid)] }, "Attributes[2]",
            "a name that no attribute before it has"),
        new TestCaseData(_schema with { Attributes = [new("year", 0)] }, "Attributes[0]", "a known attribute type"),
    ];

    private static IEnumerable<TestCaseData> Different =>
    [
        new TestCaseData(_schema with { Dimension = 96 }, "Dimension: expected 128, found 96"),
        new TestCaseData(_schema with { Metric = DistanceMetric.L2 }, "Metric: expected Cosine, found L2"),
        new TestCaseData(_schema with { ElementType = VectorElementType.Int8 }, "ElementType: expected Float32, found Int8"),
        new TestCaseData(_schema with { Attributes = [_schema.Attributes[0]] }, "Number of attributes: expected 2, found 1"),
        new TestCaseData(
            _schema with { Attributes = [_schema.Attributes[1], _schema.Attributes[0]] },
            "Attributes[0]: expected year (Int64), found lang (String)"),
        new TestCaseData(
            _schema with { Attributes = [_schema.Attributes[0], new("lang", AttributeType.StringSet)] },
            "Attributes[1]: expected lang (String), found lang (StringSet)"),
    ];

    [Test]
    public void The_defaults_are_valid()
    {
        CollectionSchema schema = new CollectionSchema { Dimension = 3 }.Validated();
        using (Assert.EnterMultipleScope())
        {
            Assert.That(schema.Metric, Is.EqualTo(DistanceMetric.Cosine));
            Assert.That(schema.ElementType, Is.EqualTo(VectorElementType.Float32));
            Assert.That(schema.Attributes, Is.Empty);
        }
    }

    [Test]
    public void Members_at_their_limits_are_valid()
    {
        CollectionSchema schema = new()
        {
            Dimension = 32_768,
            Attributes = [.. Many(63), new(new string('é', 64), AttributeType.StringSet)],
        };

        Assert.That(schema.Validated(), Is.EqualTo(schema));
    }

    [TestCaseSource(nameof(Refused))]
    public void A_member_out_of_its_range_is_refused_by_its_name(CollectionSchema schema, string member, string expected) =>
        Assert.That(
            () => schema.Validated(),
            Throws.TypeOf<ArgumentOutOfRangeException>().With.Property("ParamName").EqualTo(member).And.Message.Contains(expected));

    [Test]
    public void A_checked_schema_does_not_see_changes_to_the_list_that_it_was_made_of()
    {
        List<AttributeDefinition> list = [new("year", AttributeType.Int64)];
        CollectionSchema schema = (_schema with { Attributes = list }).Validated();
        list.Clear();

        Assert.That(schema.Attributes, Has.Count.EqualTo(1));
    }

    [TestCaseSource(nameof(Different))]
    public void The_first_difference_is_named_with_both_values(CollectionSchema stored, string difference)
    {
        using (Assert.EnterMultipleScope())
        {
            Assert.That(_schema.FindDifference(stored), Is.EqualTo(difference));
            Assert.That(_schema, Is.Not.EqualTo(stored));
        }
    }

    [Test]
    public void Schemas_with_the_same_members_are_equal()
    {
        CollectionSchema same = _schema with { Attributes = new List<AttributeDefinition>(_schema.Attributes) };
        using (Assert.EnterMultipleScope())
        {
            Assert.That(_schema.FindDifference(same), Is.Null);
            Assert.That(_schema, Is.EqualTo(same));
            Assert.That(_schema.GetHashCode(), Is.EqualTo(same.GetHashCode()));
        }
    }

    private static AttributeDefinition[] Many(int count) =>
        [.. Enumerable.Range(0, count).Select(i => new AttributeDefinition($"a{i}", AttributeType.Boolean))];

    private static CollectionSchema WithName(string name) => _schema with { Attributes = [new(name, AttributeType.Boolean)] };
}
