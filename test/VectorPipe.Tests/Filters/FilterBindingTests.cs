using NUnit.Framework;
using VectorPipe.Collections.Attributes;
using VectorPipe.Filters.Binding;
using VectorPipe.Tests.Collections.Attributes;

namespace VectorPipe.Tests.Filters;

/// <summary>Filters against a schema: errors, cost, damaged records.</summary>
public sealed class FilterBindingTests
{
    private static readonly CollectionSchema _schema = new()
    {
        Dimension = 2,
        Attributes =
        [
            new("year", AttributeType.Int64), new("lang", AttributeType.String), new("tags", AttributeType.StringSet),
            new("draft", AttributeType.Boolean), new("price", AttributeType.Double), new("id", AttributeType.Guid),
            new("seen", AttributeType.DateTimeOffset),
        ],
    };

    [TestCase(
        "yaer == 1",
        "Filter: expected attributes of the schema (year, lang, tags, draft, price, id, seen), found 'yaer'; did you mean 'year'?")]
    [TestCase("YEAR == 1", "did you mean 'year'?")]
    [TestCase("rating == 1", "found 'rating'.")]
    [TestCase("exists tag", "did you mean 'tags'?")]
    [TestCase("year == 'x'", "Attribute 'year' (Int64): expected a number, found the Text \"x\".")]
    [TestCase("price between time'2024-01-01' and time'2024-01-02'", "Attribute 'price' (Double): expected a number, found the Time time'")]
    [TestCase("draft == 1", "Attribute 'draft' (Boolean): expected true or false, found the Number 1.")]
    [TestCase("seen > '2024-01-01'", "Attribute 'seen' (DateTimeOffset): expected a time, found the Text \"2024-01-01\".")]
    [TestCase("id == 'x'", "Attribute 'id' (Guid): expected a Guid, found the Text \"x\".")]
    [TestCase("lang == true", "Attribute 'lang' (String): expected a text, found the Boolean true.")]
    [TestCase("tags == 'a'", "Attribute 'tags' (StringSet): expected what the set contains, not a comparison of it, found the Text \"a\".")]
    [TestCase(
        "lang contains 'a'",
        "Attribute 'lang' (String): expected a comparison with a single value, found what sets of strings contain: \"a\".")]
    [TestCase("year == 1 or (lang == 'a' and exists nothing_like_it)", "found 'nothing_like_it'.")]
    public void A_filter_that_does_not_fit_the_schema_is_refused(string text, string message) =>
        Assert.That(
            () => Filter.Parse(text).Bind(_schema), Throws.TypeOf<InvalidFilterException>().With.Message.Contains(message));

    [Test]
    public void A_schema_without_attributes_says_so() =>
        Assert.That(
            () => Filter.Exists("year").Bind(new CollectionSchema { Dimension = 2 }),
            Throws.TypeOf<InvalidFilterException>().With.Message.EndsWith("(it has none), found 'year'."));

    [TestCase("year == 9007199254740993", 9007199254740993, true)]
    [TestCase("year == 9007199254740993", 9007199254740992, false)]
    [TestCase("year > 1999.5", 2000, true)]
    [TestCase("year > 1999.5", 1999, false)]
    [TestCase("year <= 1e300", long.MaxValue, true)]
    [TestCase("year > 9223372036854775807", long.MaxValue, false)]
    [TestCase("year >= -1e300", long.MinValue, true)]
    [TestCase("year == 0.5", 0, false)]
    public void Integers_are_compared_by_their_values(string text, long year, bool isMatch) =>
        Assert.That(Filter.Parse(text).Bind(_schema).Matches(new AttributeSet { ["year"] = year }), Is.EqualTo(isMatch));

    [TestCase("price == 0", -0.0, true)]
    [TestCase("price == 9007199254740993", 9007199254740992, false)]
    [TestCase("price < 9007199254740993", 9007199254740992, true)]
    [TestCase("price != 0", double.NaN, true)]
    [TestCase("price < 0", double.NaN, false)]
    [TestCase("not price < 0", double.NaN, true)]
    [TestCase("price < 0 or price >= 0", double.NaN, false)]
    [TestCase("exists price", double.NaN, true)]
    [TestCase("price > 1e308", double.PositiveInfinity, true)]
    public void Doubles_are_compared_by_their_values(string text, double price, bool isMatch) =>
        Assert.That(Filter.Parse(text).Bind(_schema).Matches(new AttributeSet { ["price"] = price }), Is.EqualTo(isMatch));

    [Test]
    public void A_record_of_another_type_than_the_schema_is_refused() =>
        Assert.That(
            () => Filter.Equal("year", 1).Bind(_schema).Matches(new AttributeSet { ["year"] = "x" }),
            Throws.TypeOf<InvalidRecordException>().With.Message.EqualTo("Attribute 'year': expected Int64, found String."));

    [Test]
    public void No_evaluation_allocates()
    {
        BoundFilter filter = Filter.Parse(
            "year between 1 and 9 and lang in ('de', 'en') and lang starts_with 'e' and tags contains_any ('a', 'b') and not tags "
            + "contains_all ('a', 'x') and draft == false and price != 0.5 and id != guid'00112233-4455-6677-8899-aabbccddeeff' and seen > "
            + "time'2024-01-01' and (exists year or not exists lang)").Bind(_schema);
        var codec = new AttributeCodec(_schema);
        var row = new AttributeSet
        {
            ["year"] = 5,
            ["lang"] = "en",
            ["tags"] = AttributeValue.StringSet("a", "c"),
            ["draft"] = false,
            ["price"] = 1.5,
            ["id"] = Guid.Empty,
            ["seen"] = DateTimeOffset.UnixEpoch.AddYears(60),
        };
        byte[] bytes = codec.Encode(row);
        bool isMatch = true;

        long allocated = Allocations.OfThread(() =>
        {
            for (int i = 0; i < 100; i++)
                isMatch &= filter.Matches(row) && codec.TryMatch(filter, bytes, out bool matches) && matches;
        });

        Assert.That((allocated, isMatch), Is.EqualTo((0, true)));
    }

    [Test]
    public void Damaged_records_match_or_not_or_are_refused()
    {
        var random = new Random(5);
        var filters = new RandomFilters(random);
        int refused = 0;
        for (int i = 0; i < 40; i++)
        {
            CollectionSchema schema = filters.NextSchema();
            var codec = new AttributeCodec(schema);
            BoundFilter filter = filters.Next(schema, 4).Filter.Bind(schema);
            foreach (byte[] damaged in Damage.Of(codec.Encode(filters.NextRow(schema))))
                refused += codec.TryMatch(filter, damaged, out bool matches) || matches ? 0 : 1;
        }

        Assert.That(refused, Is.GreaterThan(0), "damage that is never seen proves little");
    }
}
