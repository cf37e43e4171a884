using System.Text;
using NUnit.Framework;
using VectorPipe.Server.Filtering;

namespace VectorPipe.Server.Tests.Filtering;

/// <summary>Which attributes match which filters.</summary>
[TestFixture]
public sealed class AttributeFilterTests
{
    private const string Film =
        """
        {"year":1984,"rating":7.5,"title":"The \"Matrix\"","tags":["a","b",3],"is_new":true,"none":null,"person":{"age":1},"big-est":1}
        """;

    [TestCase(".year == 1984", true)]
    [TestCase(".year != 1984", false)]
    [TestCase(".year > 1983 and .year < 1985", true)]
    [TestCase(".year >= 1984 && .rating <= 7.5", true)]
    [TestCase(".year > 2000 or .rating > 7", true)]
    [TestCase(".year > 2000 || .rating > 8", false)]
    [TestCase("not .year > 2000", false, Description = "not binds stronger: (not .year) > 2000")]
    [TestCase("not (.year > 2000)", true)]
    [TestCase("!(.year > 2000)", true)]
    [TestCase("!!.year", true)]
    [TestCase(".year + 16 == 2000", true)]
    [TestCase(".year - 4 == 1980", true)]
    [TestCase(".year -4 == 1980", true)]
    [TestCase(".year * 2 / 4 == 992", true)]
    [TestCase(".year % 10 == 4", true)]
    [TestCase("2 ** 3 ** 2 == 512", true, Description = "the right side first")]
    [TestCase("2 + 3 * 4 == 14", true)]
    [TestCase("(2 + 3) * 4 == 20", true)]
    [TestCase("10 - 4 - 3 == 3", true)]
    [TestCase("1 or 1 and 0", true)]
    [TestCase("-5 < -4", true)]
    [TestCase("1.5e1 == 15", true)]
    [TestCase("1e-1 == 0.1", true)]
    [TestCase(".title == 'The \"Matrix\"'", true)]
    [TestCase(""" .title == "The \"Matrix\"" """, true)]
    [TestCase(".title == 'the \"matrix\"'", false)]
    [TestCase("'Matrix' in .title", true)]
    [TestCase("'matrix' in .title", false)]
    [TestCase("3 in .title", false)]
    [TestCase("'a' in .tags", true)]
    [TestCase("3 in .tags", true)]
    [TestCase("'c' in .tags", false)]
    [TestCase(".year in [1980, 1984]", true)]
    [TestCase(".year in [1980]", false)]
    [TestCase(".year in []", false)]
    [TestCase(".title in ['x', \"The \\\"Matrix\\\"\"]", true)]
    [TestCase(".year in 1984", false)]
    [TestCase(".is_new", true)]
    [TestCase(".is_new == 1", true)]
    [TestCase("not .is_new", false)]
    [TestCase(".none == null", true)]
    [TestCase(".year == null", false)]
    [TestCase(".none", false)]
    [TestCase(".big-est == 1", true)]
    [TestCase("'1984' == .year", true, Description = "of two kinds, both are numbers")]
    [TestCase("'x' == 0", true, Description = "a text that is no number is 0")]
    [TestCase("''", false)]
    [TestCase("'x'", true)]
    [TestCase(".missing == 1", false)]
    [TestCase("not .missing", false, Description = "what lacks a field never matches")]
    [TestCase(".year == 1984 or .missing == 1", false)]
    [TestCase(".person == 1", false)]
    [TestCase(".tags", true)]
    public void A_filter_tells(string filter, bool matches) =>
        Assert.That(AttributeFilter.Parse(filter).Matches(Encoding.UTF8.GetBytes(Film)), Is.EqualTo(matches));

    [TestCase("")]
    [TestCase("not json")]
    [TestCase("[1]")]
    [TestCase("1")]
    [TestCase("{")]
    [TestCase("{\"year\":1984")]
    [TestCase("{\"year\":{\"year\":1984}}")]
    [TestCase("{\"other\":{\"year\":1984}}")]
    [TestCase("{\"year\":[[1984]]}")]
    [TestCase("{\"year\":'1984'}")]
    [TestCase("\u00ff")]
    public void Other_attributes_never_match(string attributes)
    {
        Assert.That(AttributeFilter.Parse(".year == 1984").Matches(Encoding.Latin1.GetBytes(attributes)), Is.False);
        Assert.That(AttributeFilter.Parse("not (.year == 1985)").Matches(Encoding.Latin1.GetBytes(attributes)), Is.False);
    }

    [Test]
    public void Of_two_fields_of_a_name_the_first_counts() =>
        Assert.That(AttributeFilter.Parse(".a == 1").Matches("""{"b":{"a":2},"a":1,"a":{"x":[1]},"c":3}"""u8), Is.True);

    [TestCase("", "")]
    [TestCase(".year ==", "")]
    [TestCase(".year == 1984)", ")")]
    [TestCase("(.year == 1984", "")]
    [TestCase(".year = 1984", "= 1984")]
    [TestCase(".year == 1984 .rating", ".rating")]
    [TestCase("'open", "'open")]
    [TestCase("[1, 2", "")]
    [TestCase("[1 2]", "2]")]
    [TestCase("[[1]]", "[1]]")]
    [TestCase("1.2.3", "1.2.3")]
    [TestCase(". == 1", ". == 1")]
    [TestCase("year == 1", "year == 1")]
    [TestCase("1 inside 2", "inside 2")]
    public void What_is_no_filter_is_named_from_where_it_is_none(string filter, string rest) =>
        Assert.That(
            () => AttributeFilter.Parse(filter), Throws.TypeOf<FilterSyntaxException>().With.Property("Rest").EqualTo(rest));

    [Test]
    public void Deep_filters_are_refused_before_the_stack_ends() =>
        Assert.That(() => AttributeFilter.Parse(new string('(', 100_000)), Throws.TypeOf<FilterSyntaxException>());

    [Test]
    public void Long_filters_are_refused_before_the_stack_ends_too()
    {
        Assert.That(AttributeFilter.Parse("1" + string.Concat(Enumerable.Repeat("+1", 900))).Matches("{}"u8), Is.True);
        Assert.That(
            () => AttributeFilter.Parse("1" + string.Concat(Enumerable.Repeat("+1", 100_000))), Throws.TypeOf<FilterSyntaxException>());
        Assert.That(
            () => AttributeFilter.Parse(string.Join(" and ", Enumerable.Range(0, 100).Select(i => $".f{i}"))),
            Throws.TypeOf<FilterSyntaxException>());
    }

    [TestCase(20_000, 1)]
    [TestCase(2_000_000, 2, Category = "Heavy")]
    public void Any_text_is_a_filter_or_refused_and_any_attributes_match_or_not(int cases, int seed)
    {
        string[] words = ".a|.b|1|-2|'x'|[1,'x']|(|)|not |!|and| or |in|==|**|-|%|null|\\|\"|[".Split('|');
        string[] json = ["{", "}", "\"a\"", "\"b\"", ":", ",", "1", "\"x\"", "[", "]", "null", "true", "\\", " "];
        var random = new Random(seed);
        int filters = 0;
        for (int i = 0; i < cases; i++)
        {
            string text = string.Concat(Enumerable.Range(0, random.Next(1, 8)).Select(_ => words[random.Next(words.Length)]));
            string attributes = string.Concat(Enumerable.Range(0, random.Next(1, 12)).Select(_ => json[random.Next(json.Length)]));
            try
            {
                AttributeFilter.Parse(text).Matches(Encoding.UTF8.GetBytes(attributes));
                filters++;
            }
            catch (FilterSyntaxException)
            {
                // Refused.
            }
        }

        Assert.That(filters, Is.GreaterThan(cases / 50), "some are filters");
    }
}
