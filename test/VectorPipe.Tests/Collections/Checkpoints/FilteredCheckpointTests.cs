using NUnit.Framework;
using VectorPipe.Collections.Columns;

namespace VectorPipe.Tests.Collections.Checkpoints;

/// <summary>Searches with filters over a graph that checkpoints change, beside a dictionary.</summary>
[FixtureLifeCycle(LifeCycle.InstancePerTestCase)]
public sealed class FilteredCheckpointTests
{
    private const int Dimension = 16;
    private const int Count = 1100;

    private static readonly CollectionSchema _schema = new()
    {
        Dimension = Dimension,
        Metric = DistanceMetric.L2,
        ElementType = VectorElementType.UInt8,
        Attributes = [new("year", AttributeType.Int64), new("lang", AttributeType.String), new("tags", AttributeType.StringSet)],
    };

    // A collection of this size would be scanned.
    private static readonly SearchOptions _walk = new() { Graph = new GraphSearch() };

    private static readonly SearchOptions _exact = new() { Mode = SearchMode.Exact };

    private static readonly Filter[] _filters =
    [
        Filter.GreaterThan("year", 1949), Filter.LessThan("year", 1901), Filter.Equal("lang", "l3") & Filter.Contains("tags", "t1"),
        !Filter.Exists("year"), !Filter.ContainsAny("tags", "t0", "t2") | Filter.Equal("year", 1970), Filter.Equal("year", 1800),
        Filter.All,
    ];

    private static readonly int[][] _centres = [.. Enumerable.Range(0, 24).Select(CentreOf)];

    private readonly Dictionary<int, (byte[] Vector, AttributeSet Attributes)> _records = [];

    [TestCase(1, 1)]
    [TestCase(1, 3, Category = "Heavy")]
    [TestCase(2, 3, Category = "Heavy")]
    public async Task Hits_match_and_are_the_nearest_after_each_checkpoint_and_when_it_is_opened_again(int seed, int rounds)
    {
        var random = new Random(seed);
        using var folder = new CollectionDirectory();
        CollectionOptions options = ChangingCollection.Options;
        CollectionOptions quiet = options with { Tuning = options.Tuning with { LeastWaiting = long.MaxValue } };
        await using (VectorCollection<int> empty = await folder.OpenAsync<int>(quiet, schema: _schema))
        {
            await WriteAsync(random, empty, Enumerable.Range(0, Count), []);
            Assert.That(await empty.CompactAsync());
        }

        VectorCollection<int> collection = await folder.OpenAsync<int>(options, schema: _schema);
        try
        {
            await CheckAsync(random, collection, "built");
            Assert.That(ColumnsOf(collection), Is.Not.Null);
            for (int round = 1; round <= rounds; round++)
            {
                int[] keys = [.. _records.Keys.Order()];
                random.Shuffle(keys);
                await WriteAsync(random, collection, keys[..100].Concat(Enumerable.Range(Count * round, 80)), keys[100..150]);
                await CheckAsync(random, collection, $"round {round}, some wait");
                await collection.FlushAsync();
                await collection.WaitForRebuildAsync();
                Assert.That(collection.Status.Checkpoints, Is.EqualTo(round));
                Assert.That(ColumnsOf(collection), Is.Not.Null, "a checkpoint takes the attributes over");
                await CheckAsync(random, collection, $"round {round}");

                // What is read anew must be what the checkpoints made.
                if (round % 2 == 1)
                {
                    await collection.DisposeAsync();
                    collection = await folder.OpenAsync<int>(options, schema: _schema);
                    await CheckAsync(random, collection, $"round {round}, opened again");
                }
            }
        }
        finally
        {
            await collection.DisposeAsync();
        }
    }

    [Test]
    public async Task A_filter_that_does_not_fit_the_schema_is_refused_and_keys_of_an_index_are_no_filter()
    {
        using var folder = new CollectionDirectory();
        await using VectorCollection<int> collection = await folder.OpenAsync<int>(schema: _schema);
        await WriteAsync(new Random(1), collection, Enumerable.Range(0, 5), []);
        var query = new byte[Dimension];
        Assert.That(
            async () => await collection.SearchAsync(query, 3, filter: Filter.Equal("yaer", 1)),
            Throws.TypeOf<InvalidFilterException>().With.Message.Contains("did you mean 'year'?"));
        Assert.That(
            async () => await collection.SearchAsync(query, 3, new SearchOptions { Keys = KeyFilter.Of([1]) }),
            Throws.TypeOf<ArgumentOutOfRangeException>().With.Message.Contains("a filter of their own"));
        CollectionResult<int> found = await collection.SearchAsync(query, 10, filter: Filter.Exists("year"));
        Assert.That(found, Has.Count.EqualTo(_records.Count(record => record.Value.Attributes.ContainsKey("year"))));
        Assert.That(found.Statistics.EndedBy, Is.EqualTo(SearchEnd.AllMatches).Or.EqualTo(SearchEnd.AllVectors));
        Assert.That(
            (found.Statistics.Matches, found.Statistics.Strategy), Is.EqualTo((0L, FilterStrategy.Nothing)), "none is in the index yet");
    }

    private static CollectionColumns? ColumnsOf(VectorCollection<int> collection) => collection.Store.State.View.Content!.Matches.Columns;

    private async Task CheckAsync(Random random, VectorCollection<int> collection, string when)
    {
        int found = 0, wanted = 0;
        foreach (Filter filter in _filters)
        {
            for (int i = 0; i < 4; i++)
            {
                byte[] query = Vector(random);
                int k = random.Next(1, 20);
                float[] expected = [.. Matches(filter).Select(vector => Distance(vector, query)).Order().Take(k)];
                CollectionResult<int> exact = await collection.SearchAsync(query, k, _exact, filter: filter);
                Assert.That(exact.Select(hit => hit.Score), Is.EqualTo(expected).Within(1e-3f), $"{when}: {filter}, exact");
                CollectionResult<int> walked = await collection.SearchAsync(query, k, _walk, Include.Attributes, filter);
                Assert.That(walked.Select(hit => hit.Key), Is.Unique, when);
                foreach (CollectionHit<int> hit in walked)
                {
                    Assert.That(IsMatch(filter, hit.Attributes!), $"{when}: {filter}, {hit.Key}");
                    Assert.That(hit.Attributes, Is.EqualTo(_records[hit.Key].Attributes), when);
                    Assert.That(hit.Score, Is.EqualTo(Distance(_records[hit.Key].Vector, query)).Within(1e-3f), when);
                }

                if (walked.Count < k)
                    Assert.That(walked.Statistics.EndedBy, Is.Not.EqualTo(SearchEnd.Complete), $"{when}: {filter}");
                wanted += expected.Length;
                found += walked.Count(hit => expected.Length > 0 && hit.Score <= expected[^1] + 1e-3f);
            }
        }

        Assert.That(found / (double)wanted, Is.GreaterThan(0.9), $"{when}: recall");
    }

    private IEnumerable<byte[]> Matches(Filter filter) =>
        _records.Values.Where(record => IsMatch(filter, record.Attributes)).Select(record => record.Vector);

    private static bool IsMatch(Filter filter, AttributeSet attributes) => filter.Bind(_schema).Matches(attributes);

    private Task WriteAsync(Random random, VectorCollection<int> collection, IEnumerable<int> upserts, IEnumerable<int> deletes)
    {
        WriteBatch<int> batch = collection.CreateBatch();
        foreach (int key in upserts)
        {
            AttributeSet attributes = [];
            if (random.Next(5) > 0)
                attributes["year"] = (long)random.Next(1900, 2000);
            if (random.Next(5) > 0)
                attributes["lang"] = $"l{random.Next(6)}";
            if (random.Next(5) > 0)
                attributes["tags"] = AttributeValue.StringSet(new[] { "t0", "t1", "t2" }.Where(_ => random.Next(2) == 0));
            _records[key] = (Vector(random), attributes);
            batch.Upsert(key, _records[key].Vector, attributes);
        }

        foreach (int key in deletes)
        {
            _records.Remove(key);
            batch.Delete(key);
        }

        return collection.WriteAsync(batch);
    }

    private static int[] CentreOf(int cluster)
    {
        var random = new Random(cluster);
        return [.. Enumerable.Range(0, Dimension).Select(_ => random.Next(256))];
    }

    // A few clusters.
    private static byte[] Vector(Random random)
    {
        int[] centre = _centres[random.Next(_centres.Length)];
        return [.. centre.Select(component => (byte)Math.Clamp(component + random.Next(-24, 25), 0, 255))];
    }

    private static float Distance(byte[] a, byte[] b) => ChangingCollection.Distance(a, b);
}
