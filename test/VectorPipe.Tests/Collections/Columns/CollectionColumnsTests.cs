using NUnit.Framework;
using VectorPipe.Collections.Attributes;
using VectorPipe.Collections.Columns;
using VectorPipe.Filters.Binding;
using VectorPipe.Searching.Filtering;

namespace VectorPipe.Tests.Collections.Columns;

public sealed class CollectionColumnsTests
{
    private static readonly CollectionSchema _schema = new CollectionSchema
    {
        Dimension = 2,
        Metric = DistanceMetric.L2,
        Attributes =
        [
            new AttributeDefinition("flag", AttributeType.Boolean),
            new AttributeDefinition("year", AttributeType.Int64),
            new AttributeDefinition("price", AttributeType.Double),
            new AttributeDefinition("lang", AttributeType.String),
            new AttributeDefinition("id", AttributeType.Guid),
            new AttributeDefinition("seen", AttributeType.DateTimeOffset),
            new AttributeDefinition("tags", AttributeType.StringSet),
        ],
    }.Validated();

    private static readonly AttributeCodec _codec = new(_schema);

    private static readonly string[] _filters =
    [
        "flag == true", "flag != true", "not flag == true", "exists flag",
        "year > 3", "year between 2 and 5", "not year in (1, 7)", "not exists year",
        "price < 2.5", "price != 1", "lang == 'l3'", "lang in ('l1', 'l300', 'none')", "lang starts_with 'l1'", "not lang == 'l2'",
        "id == guid'00000003-0000-0000-0000-000000000000'", "not exists id", "seen >= time'2024-01-03T00:00:00Z'",
        "tags contains 't1'", "tags contains_any ('t2', 't3')", "tags contains_all ('t1', 't2')", "not tags contains_all ('t1', 't2')",
        "exists tags", "not tags contains 'none'",
        "year > 3 and flag == true or not tags contains 't1' and price < 4", "not (year > 3 and (flag == true or lang == 'l2'))",
        "true", "false",
    ];

    [TestCase(1)]
    [TestCase(2, Category = "Heavy")]
    public void Each_filter_finds_the_rows_whose_attributes_match(int seed)
    {
        // More rows than are tested together, and not a multiple of a word.
        const int Rows = 4096 + 301;
        var random = new Random(seed);
        var columns = new CollectionColumns([.. _schema.Attributes], Rows);
        var expected = new AttributeSet?[Rows];
        Change(random, columns, expected, 2 * Rows);
        AssertMatches(columns, expected);

        // A copy with room for more: what it changes does not show in the original.
        var more = new AttributeSet?[Rows + 700];
        expected.CopyTo(more, 0);
        CollectionColumns copy = columns.Copy(Rows + 700);
        Change(random, copy, more, Rows / 4);
        AssertMatches(copy, more);
        AssertMatches(columns, expected);
        AssertMatches(copy.Copy(Rows + 700), more);
    }

    [Test]
    public void Texts_beyond_a_byte_and_beyond_two_keep_their_rows()
    {
        const int Rows = 70_000;
        var columns = new CollectionColumns([.. _schema.Attributes], Rows);
        for (uint row = 0; row < Rows; row++)
            Assert.That(columns.TryAdd(row, _codec.Encode(new AttributeSet { ["lang"] = $"l{row}" })), Is.True);
        foreach (uint row in new uint[] { 0, 1, 255, 256, 257, 65_535, 65_536, Rows - 1 })
        {
            MatchSet found = Match(columns, $"lang == 'l{row}'");
            Assert.That((found.Count, found.Contains(row)), Is.EqualTo((1, true)), $"row {row}");
        }
    }

    [Test]
    public void Bytes_that_are_no_attributes_are_told()
    {
        var columns = new CollectionColumns([.. _schema.Attributes], 4);
        byte[] whole = _codec.Encode(new AttributeSet
        {
            ["flag"] = true,
            ["year"] = 5,
            ["lang"] = "en",
            ["id"] = Guid.NewGuid(),
            ["tags"] = AttributeValue.StringSet("a", "b"),
        });
        Assert.That(columns.TryAdd(1, whole), Is.True);
        Assert.That(columns.TryAdd(1, whole.AsSpan()[..^1]), Is.False, "cut");
        Assert.That(columns.TryAdd(1, [7, .. whole]), Is.False, "unknown place");
        Assert.That(columns.TryAdd(1, [.. whole, .. whole]), Is.False, "falling places");
        Assert.That(columns.TryAdd(1, [0, 2]), Is.False, "no truth value");
    }

    [Test]
    public void A_column_takes_a_few_bytes_a_row()
    {
        const int Rows = 100_000;
        var random = new Random(3);
        AttributeDefinition[] definitions = [new AttributeDefinition("lang", AttributeType.String)];
        var columns = new CollectionColumns(definitions, Rows);
        var schema = new CollectionSchema { Dimension = 1, Metric = DistanceMetric.L2, Attributes = definitions };
        var codec = new AttributeCodec(schema.Validated());
        for (uint row = 0; row < Rows; row++)
            columns.TryAdd(row, codec.Encode(new AttributeSet { ["lang"] = $"keyword {random.Next(1000)}" }));
        Assert.That(columns.MemoryBytes / (double)Rows, Is.LessThan(4), "1,000 different texts");
    }

    [Test]
    public void A_set_column_takes_a_few_bytes_a_row()
    {
        const int Rows = 100_000, Texts = 1000, Items = 5;
        var random = new Random(4);
        AttributeDefinition[] definitions = [new AttributeDefinition("tags", AttributeType.StringSet)];
        var columns = new CollectionColumns(definitions, Rows);
        var schema = new CollectionSchema { Dimension = 1, Metric = DistanceMetric.L2, Attributes = definitions };
        var codec = new AttributeCodec(schema.Validated());
        double[] sums = new double[Texts];
        for (int text = 0; text < Texts; text++)
            sums[text] = (text > 0 ? sums[text - 1] : 0) + (1.0 / (text + 1));
        uint[] rows = [.. Enumerable.Range(0, Rows).Select(row => (uint)row)];
        random.Shuffle(rows);
        foreach (uint row in rows)
        {
            var tags = new HashSet<string>();
            while (tags.Count < Items)
                tags.Add($"tag {~Array.BinarySearch(sums, random.NextDouble() * sums[^1])}");
            columns.TryAdd(row, codec.Encode(new AttributeSet { ["tags"] = AttributeValue.StringSet([.. tags]) }));
        }

        columns.Seal();
        TestContext.Out.WriteLine($"{columns.MemoryBytes / (double)Rows:F2} bytes a row");
        Assert.That(columns.MemoryBytes / (double)Rows, Is.LessThan(8), "1,000 different texts, by Zipf's law");
    }

    private static void Change(Random random, CollectionColumns columns, AttributeSet?[] expected, int changes)
    {
        for (int i = 0; i < changes; i++)
        {
            int row = random.Next(expected.Length);
            expected[row] = random.Next(5) == 0 ? null : Draw(random);
            if (expected[row] is { } attributes)
                Assert.That(columns.TryAdd((uint)row, _codec.Encode(attributes)), Is.True);
            else
                columns.Remove((uint)row);
        }

        Assert.That(columns.Count, Is.EqualTo(expected.Count(attributes => attributes is not null)));
    }

    private static AttributeSet Draw(Random random)
    {
        var drawn = new AttributeSet();
        Maybe("flag", random.Next(2) == 1);
        Maybe("year", (long)random.Next(10));
        Maybe("price", random.Next(8) / 2.0);
        Maybe("lang", $"l{random.Next(400)}");
        Maybe("id", new Guid(random.Next(5), 0, 0, new byte[8]));
        Maybe("seen", new DateTimeOffset(2024, 1, 1 + random.Next(6), 0, 0, 0, TimeSpan.FromHours(random.Next(-3, 4))));
        Maybe("tags", AttributeValue.StringSet([.. Enumerable.Range(0, random.Next(4)).Select(_ => $"t{random.Next(5)}").Distinct()]));
        return drawn;

        void Maybe(string name, AttributeValue value)
        {
            if (random.Next(4) != 0)
                drawn.Add(name, value);
        }
    }

    private static void AssertMatches(CollectionColumns columns, AttributeSet?[] expected)
    {
        columns.Seal();
        foreach (string text in _filters)
        {
            BoundFilter filter = Filter.Parse(text).Bind(_schema);
            MatchSet found = columns.Match(filter, CancellationToken.None);
            long count = 0;
            for (int row = 0; row < expected.Length; row++)
            {
                bool matches = expected[row] is { } attributes && filter.Matches(attributes);
                count += matches ? 1 : 0;
                if (!found.IsAll && found.Contains((uint)row) != matches)
                    Assert.Fail($"{text}, row {row}: expected {matches}");
            }

            Assert.That(found.Count, Is.EqualTo(count), text);
        }
    }

    private static MatchSet Match(CollectionColumns columns, string filter)
    {
        columns.Seal();
        return columns.Match(Filter.Parse(filter).Bind(_schema), CancellationToken.None);
    }
}
