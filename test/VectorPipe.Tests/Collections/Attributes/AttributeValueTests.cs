using System.Collections.Immutable;
using NUnit.Framework;

namespace VectorPipe.Tests.Collections.Attributes;

public sealed class AttributeValueTests
{
    private static readonly DateTimeOffset _noon = new(2024, 5, 6, 12, 0, 0, TimeSpan.FromHours(2));
    private static readonly Guid _guid = new("00112233-4455-6677-8899-aabbccddeeff");

    private static IEnumerable<TestCaseData> Values =>
    [
        new TestCaseData((AttributeValue)true, AttributeType.Boolean, "true"),
        new TestCaseData((AttributeValue)(-2024), AttributeType.Int64, "-2024"),
        new TestCaseData((AttributeValue)0.5, AttributeType.Double, "0.5"),
        new TestCaseData((AttributeValue)"en", AttributeType.String, "en"),
        new TestCaseData((AttributeValue)_guid, AttributeType.Guid, "00112233-4455-6677-8899-aabbccddeeff"),
        new TestCaseData((AttributeValue)_noon, AttributeType.DateTimeOffset, "2024-05-06T12:00:00.0000000+02:00"),
        new TestCaseData(AttributeValue.StringSet("b", "a"), AttributeType.StringSet, "[a, b]"),
    ];

    [TestCaseSource(nameof(Values))]
    public void A_value_has_the_type_and_the_text_of_what_it_came_from(AttributeValue value, AttributeType type, string text)
    {
        using (Assert.EnterMultipleScope())
        {
            Assert.That(value.Type, Is.EqualTo(type));
            Assert.That(value.ToString(), Is.EqualTo(text));
        }
    }

    [Test]
    public void A_value_comes_back_as_its_own_type()
    {
        using (Assert.EnterMultipleScope())
        {
            Assert.That(((AttributeValue)true).AsBoolean(), Is.True);
            Assert.That(((AttributeValue)long.MinValue).AsInt64(), Is.EqualTo(long.MinValue));
            Assert.That(((AttributeValue)double.NaN).AsDouble(), Is.NaN);
            Assert.That(((AttributeValue)"en").AsString(), Is.EqualTo("en"));
            Assert.That(((AttributeValue)_guid).AsGuid(), Is.EqualTo(_guid));
            Assert.That(((AttributeValue)_noon).AsDateTimeOffset().EqualsExact(_noon), Is.True);
            Assert.That(AttributeValue.StringSet("b", "a", "b").AsStringSet(), Is.EqualTo(["a", "b"]));
            Assert.That(AttributeValue.StringSet().AsStringSet(), Is.Empty);
        }
    }

    [Test]
    public void The_limits_of_time_come_back([Values(-14, -1, 0, 1, 14)] int hours, [Values] bool isFirst)
    {
        TimeSpan offset = TimeSpan.FromHours(hours);
        DateTimeOffset utc = isFirst ? DateTimeOffset.MinValue.AddHours(14) : DateTimeOffset.MaxValue.AddHours(-14);
        DateTimeOffset time = utc.ToOffset(offset);

        Assert.That(((AttributeValue)time).AsDateTimeOffset().EqualsExact(time), Is.True);
    }

    [TestCaseSource(nameof(Values))]
    public void Another_getter_throws_and_names_both_types(AttributeValue value, AttributeType type, string text)
    {
        (AttributeType Type, Action Get)[] getters =
        [
            (AttributeType.Boolean, () => value.AsBoolean()), (AttributeType.Int64, () => value.AsInt64()),
            (AttributeType.Double, () => value.AsDouble()), (AttributeType.String, () => value.AsString()),
            (AttributeType.Guid, () => value.AsGuid()), (AttributeType.DateTimeOffset, () => value.AsDateTimeOffset()),
            (AttributeType.StringSet, () => value.AsStringSet()),
        ];

        foreach ((AttributeType asked, Action get) in getters.Where(getter => getter.Type != type))
            Assert.That(
                get,
                Throws.InvalidOperationException.With.Message.EqualTo($"Expected a value of type {asked}, found {type}."), text);
    }

    [Test]
    public void TryGet_gets_the_own_type_only()
    {
        AttributeValue value = 7;
        using (Assert.EnterMultipleScope())
        {
            Assert.That(value.TryGet(out long number) ? number : 0, Is.EqualTo(7));
            Assert.That(value.TryGet(out double _), Is.False);
            Assert.That(value.TryGet(out string? _), Is.False);
            Assert.That(((AttributeValue)true).TryGet(out bool truth) && truth, Is.True);
            Assert.That(((AttributeValue)0.5).TryGet(out double real) ? real : 0, Is.EqualTo(0.5));
            Assert.That(((AttributeValue)"en").TryGet(out string? text) ? text : "", Is.EqualTo("en"));
            Assert.That(((AttributeValue)_guid).TryGet(out Guid guid) ? guid : default, Is.EqualTo(_guid));
            Assert.That(((AttributeValue)_noon).TryGet(out DateTimeOffset time) ? time : default, Is.EqualTo(_noon));
            Assert.That(AttributeValue.StringSet("a").TryGet(out ImmutableArray<string> items) ? items : [], Is.EqualTo(["a"]));
            Assert.That(
                () => value.TryGet(out int _),
                Throws.TypeOf<NotSupportedException>().With.Message.Contains("long").And.Message.Contains("Int32"));
        }
    }

    [Test]
    public void Equal_values_have_equal_hashes()
    {
        (AttributeValue Left, AttributeValue Right)[] pairs =
        [
            (double.NaN, double.NaN), (0.0, -0.0), (7, 7L), ("a", new string('a', 1)), (_guid, new Guid(_guid.ToByteArray())),
            (_noon, _noon.ToUniversalTime()), (default, default),
            (AttributeValue.StringSet("a", "b"), AttributeValue.StringSet(new List<string> { "b", "a", "b" })),
        ];
        foreach ((AttributeValue left, AttributeValue right) in pairs)
        {
            Assert.That(left == right, Is.True, $"{left}");
            Assert.That(left, Is.EqualTo((object)right));
            Assert.That(left.GetHashCode(), Is.EqualTo(right.GetHashCode()), $"{left}");
        }
    }

    [Test]
    public void Values_that_differ_or_have_another_type_are_not_equal()
    {
        AttributeValue[] values =
        [
            default, true, false, 1, 0, 1.0, 0.0, double.NaN, "", "a", "A", _guid, Guid.Empty, _noon, _noon.AddTicks(1),
            AttributeValue.StringSet(), AttributeValue.StringSet("a"), AttributeValue.StringSet("a", "A"),
        ];

        Assert.That(values, Is.Unique);
        Assert.That(values[1] != values[2], Is.True);
    }

    [Test]
    public void Null_is_no_text_and_in_no_set()
    {
        using (Assert.EnterMultipleScope())
        {
            Assert.That(() => (AttributeValue)(string)null!, Throws.ArgumentNullException);
            Assert.That(() => AttributeValue.StringSet((IEnumerable<string>)null!), Throws.ArgumentNullException);
            Assert.That(() => AttributeValue.StringSet("a", null!), Throws.ArgumentException.With.Message.Contains("found null"));
        }
    }

    [Test]
    public void The_default_value_has_no_type()
    {
        AttributeValue none = default;
        using (Assert.EnterMultipleScope())
        {
            Assert.That((int)none.Type, Is.Zero);
            Assert.That(none.ToString(), Is.Empty);
            Assert.That(none.TryGet(out long _), Is.False);
            Assert.That(() => none.AsInt64(), Throws.InvalidOperationException.With.Message.Contains("found no type"));
        }
    }

    [Test]
    [Alone]
    public void Numbers_are_not_boxed() => Assert.That(Allocations.OfThread(() =>
    {
        Use();
        return Use;

        static void Use()
        {
            AttributeValue number = 7, real = 0.5, guid = _guid, time = _noon, truth = true;
            bool isRight = number.TryGet(out long _) && real.TryGet(out double _) && guid.TryGet(out Guid _)
                && time.TryGet(out DateTimeOffset _) && truth.TryGet(out bool _);
            if (!isRight || number == real || number.GetHashCode() == 0)
                throw new InvalidOperationException();
        }
    }), Is.Zero);
}
