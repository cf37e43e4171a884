using NUnit.Framework;

namespace VectorPipe.Tests.Filters;

/// <summary>The examples of the page about filters are filters.</summary>
public sealed class FilterPageTests
{
    private const string Start = "```filter";

    private static readonly CollectionSchema _schema = new()
    {
        Dimension = 2,
        Attributes =
        [
            new("year", AttributeType.Int64), new("publication year", AttributeType.Int64), new("lang", AttributeType.String),
            new("title", AttributeType.String), new("price", AttributeType.Double), new("tags", AttributeType.StringSet),
            new("seen", AttributeType.DateTimeOffset), new("draft", AttributeType.Boolean),
        ],
    };

    [Test]
    public void The_examples_of_the_page_fit_a_schema()
    {
        string page = File.ReadAllText(Path.Combine(RoomMap.Read().Repository, "docs", "filters.md"));
        int start = page.IndexOf(Start, StringComparison.Ordinal) + Start.Length;
        string[] examples = page[start..page.IndexOf("```", start, StringComparison.Ordinal)]
            .Split('\n', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);

        Assert.That(examples, Has.Length.EqualTo(6));
        foreach (string example in examples)
        {
            Filter filter = Filter.Parse(example);
            Assert.That(() => filter.Bind(_schema), Throws.Nothing, example);
            Assert.That(Filter.Parse(filter.ToString()), Is.EqualTo(filter), example);
        }
    }

    [Test]
    public void The_three_ways_of_the_page_make_one_filter()
    {
        Filter built = Filter.Between("year", 1980, 1990) & !Filter.Contains("tags", "draft");
        Filter read = Filter.From<Book>(
            book => book.Year >= 1980 && book.Year <= 1990 && !book.Tags.Contains("draft"), name => name.ToLowerInvariant());

        Assert.That(Filter.Parse("year between 1980 and 1990 and not tags contains 'draft'"), Is.EqualTo(built).And.EqualTo(read));
        Assert.That(Filter.Parse("year > 3 and year > 5").ToString(), Is.EqualTo("year > 5"));
        Assert.That(Filter.Parse("not (a == 1 and b == 2)").ToString(), Is.EqualTo("not a == 1 or not b == 2"));
    }
}
