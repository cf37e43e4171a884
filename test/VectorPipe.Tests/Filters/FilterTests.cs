using NUnit.Framework;

namespace VectorPipe.Tests.Filters;

/// <summary>Filters as they are made: what is equal, how it prints, what is refused.</summary>
public sealed class FilterTests
{
    private static IEnumerable<TestCaseData> Forms =>
    [
        new TestCaseData(Filter.Equal("year", 3) | Filter.Equal("year", 1), "year in (1, 3)"),
        new TestCaseData(Filter.In("year", 3, 1, 3, 1.0), "year in (1, 3)"),
        new TestCaseData(Filter.GreaterThanOrEqual("year", 1) & Filter.LessThanOrEqual("year", 9), "year between 1 and 9"),
        new TestCaseData(Filter.Between("year", 1, 9) & Filter.NotEqual("year", 5), "year >= 1 and year < 5 or year > 5 and year <= 9"),
        new TestCaseData(Filter.Between("year", 9, 1), "false"),
        new TestCaseData(Filter.LessThan("year", 3) & Filter.GreaterThan("year", 3), "false"),
        new TestCaseData(Filter.LessThan("year", 3) | Filter.GreaterThanOrEqual("year", 3), "year < 0 or year >= 0"),
        new TestCaseData(Filter.Equal("x", -0.0), "x == 0"),
        new TestCaseData(Filter.Equal("x", 0.1), "x == 0.1"),
        new TestCaseData(Filter.Equal("x", 1e300), "x == 1E+300"),
        new TestCaseData(Filter.NotEqual("year", 3), "year != 3"),
        new TestCaseData(!Filter.NotEqual("year", 3), "not year != 3"),
        new TestCaseData(!Filter.Equal("year", 3), "not year == 3"),
        new TestCaseData(!Filter.In("year", 1, 2), "not year in (1, 2)"),
        new TestCaseData(Filter.Exists("year") & !Filter.In("year", 1, 2), "exists year and not year in (1, 2)"),
        new TestCaseData(Filter.Exists("year") & Filter.Equal("year", 1), "year == 1"),
        new TestCaseData(Filter.Exists("year") | !Filter.Exists("year"), "true"),
        new TestCaseData(Filter.Equal("draft", true) | Filter.Equal("draft", false), "exists draft"),
        new TestCaseData(Filter.NotEqual("draft", true), "draft == false"),
        new TestCaseData(Filter.StartsWith("name", "ab"), "name starts_with \"ab\""),
        new TestCaseData(Filter.GreaterThanOrEqual("name", "ab") & Filter.LessThan("name", "ac"), "name starts_with \"ab\""),
        new TestCaseData(Filter.StartsWith("name", ""), "exists name"),
        new TestCaseData(Filter.NotEqual("name", "x"), "name != \"x\""),
        new TestCaseData(Filter.LessThan("name", "\uE000"), "name < \"\uE000\""),
        new TestCaseData(Filter.Equal("name", "a\"\\\n\0"), "name == \"a\\\"\\\\\\u000A\\u0000\""),
        new TestCaseData(Filter.Equal("not", 1) & Filter.Equal("a]b", 2), "[a\\]b] == 2 and [not] == 1"),
        new TestCaseData(
            Filter.LessThan("at", new DateTimeOffset(2024, 5, 6, 14, 0, 0, TimeSpan.FromHours(2))), "at < time'2024-05-06T12:00:00Z'"),
        new TestCaseData(Filter.Equal("id", Guid.Empty), "id == guid'00000000-0000-0000-0000-000000000000'"),
        new TestCaseData(Filter.Contains("tags", "b") | Filter.Contains("tags", "a"), "tags contains_any (\"a\", \"b\")"),
        new TestCaseData(Filter.Contains("tags", "b") & Filter.Contains("tags", "a"), "tags contains_all (\"a\", \"b\")"),
        new TestCaseData(!Filter.ContainsAny("tags", "a", "b"), "not tags contains_any (\"a\", \"b\")"),
        new TestCaseData(!Filter.Contains("tags", "a") & !Filter.Contains("tags", "b"), "not tags contains_any (\"a\", \"b\")"),
        new TestCaseData(Filter.ContainsAll("tags"), "exists tags"),
        new TestCaseData(Filter.ContainsAny("tags") | Filter.In("year"), "false"),
        new TestCaseData(
            (Filter.Equal("a", 1) | Filter.Equal("b", 2)) & Filter.Equal("c", 3), "c == 3 and (a == 1 or b == 2)"),
        new TestCaseData(Filter.Equal("a", 1) & Filter.Equal("b", 2) | Filter.Equal("c", 3), "c == 3 or (a == 1 and b == 2)"),
    ];

    private static IEnumerable<TestCaseData> Refused =>
    [
        new TestCaseData(() => Filter.Equal("x", double.NaN), "Attribute 'x': expected a finite number, found NaN."),
        new TestCaseData(() => Filter.LessThan("x", double.PositiveInfinity), "Attribute 'x': expected a finite number, found Infinity."),
        new TestCaseData(() => Filter.Equal("x", default), "Attribute 'x': expected a value with a type, found the default value."),
        new TestCaseData(
            () => Filter.Equal("x", AttributeValue.StringSet("a")),
            "Attribute 'x': expected a single value, found the set [a]; a set is asked what it contains."),
        new TestCaseData(
            () => Filter.LessThan("x", true),
            "Attribute 'x': expected a number, a text or a time as the end of a range, found the Boolean true."),
        new TestCaseData(
            () => Filter.Between("x", 1, "b"),
            "Attribute 'x': expected values that can be compared with each other, found the Int64 1 beside the String b."),
        new TestCaseData(
            () => Filter.Equal("x", "a\uD800"), "Attribute 'x': expected a text, found half of a surrogate pair in place 1 of it."),
        new TestCaseData(() => Filter.ContainsAny("x", "a", null!), "Attribute 'x': expected strings, found null among them."),
        new TestCaseData(() => Filter.Exists(""), "Expected the name of an attribute, of 1 to 128 bytes of UTF-8, found none."),
        new TestCaseData(
            () => Filter.Exists(new string('é', 65)), "Expected the name of an attribute, of 1 to 128 bytes of UTF-8, found 130 bytes."),
    ];

    [TestCaseSource(nameof(Forms))]
    public void A_filter_has_one_form_and_its_text_gives_it_back(Filter filter, string text)
    {
        using (Assert.EnterMultipleScope())
        {
            Assert.That(filter.ToString(), Is.EqualTo(text));
            Assert.That(Filter.Parse(text), Is.EqualTo(filter));
            Assert.That(Filter.Parse(text).GetHashCode(), Is.EqualTo(filter.GetHashCode()));
        }
    }

    [TestCaseSource(nameof(Refused))]
    public void A_value_or_a_name_that_cannot_be_compared_is_refused(Func<Filter> make, string message) =>
        Assert.That(make, Throws.TypeOf<InvalidFilterException>().With.Message.EqualTo(message));

    [Test]
    public void Other_values_and_other_comparisons_make_other_filters()
    {
        Filter[] filters =
        [
            Filter.All, Filter.None, Filter.Equal("a", 1), Filter.Equal("b", 1), Filter.Equal("a", 2), Filter.Equal("a", "1"),
            Filter.LessThan("a", 1), Filter.LessThanOrEqual("a", 1), Filter.NotEqual("a", 1), !Filter.Equal("a", 1), Filter.Exists("a"),
            !Filter.Exists("a"), Filter.Contains("a", "1"), Filter.ContainsAll("a", "1", "2"), Filter.ContainsAny("a", "1", "2"),
            Filter.Equal("a", 1) & Filter.Equal("b", 1), Filter.Equal("a", 1) | Filter.Equal("b", 1),
        ];

        for (int i = 0; i < filters.Length; i++)
        {
            for (int j = 0; j < filters.Length; j++)
                Assert.That(filters[i] == filters[j], Is.EqualTo(i == j), $"{filters[i]} and {filters[j]}");
        }
    }

    [Test]
    public void Sixty_four_levels_are_a_filter_and_one_more_is_refused()
    {
        Filter filter = Filter.Equal("a", 0);
        for (int level = 1; level <= 64; level++)
            filter = level % 2 == 0 ? filter & Filter.Equal($"a{level}", 0) : filter | Filter.Equal($"a{level}", 0);

        using (Assert.EnterMultipleScope())
        {
            Assert.That(Filter.Parse(filter.ToString()), Is.EqualTo(filter));
            Assert.That(
                () => filter | Filter.Equal("b", 0),
                Throws.TypeOf<InvalidFilterException>()
                    .With.Message.EqualTo("Expected at most 64 levels of filters within filters, found 65."));
        }
    }

    [Test]
    public void Null_is_refused()
    {
        using (Assert.EnterMultipleScope())
        {
            Assert.That(() => Filter.Parse(null!), Throws.ArgumentNullException);
            Assert.That(() => Filter.Exists(null!), Throws.ArgumentNullException);
            Assert.That(() => Filter.All & null!, Throws.ArgumentNullException);
            Assert.That(() => !(Filter)null!, Throws.ArgumentNullException);
            Assert.That(() => Filter.From<object>(null!), Throws.ArgumentNullException);
            Assert.That(Filter.All.Equals(null), Is.False);
            Assert.That((Filter?)null == null, Is.True);
        }
    }
}
