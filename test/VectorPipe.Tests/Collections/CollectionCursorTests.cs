using NUnit.Framework;

namespace VectorPipe.Tests.Collections;

/// <summary>Cursors and grouped searches of a collection that is written to.</summary>
[TestFixture]
[Parallelizable(ParallelScope.Children)]
public sealed class CollectionCursorTests
{
    private static readonly float[] _query = [1, 0, 2];

    private static readonly CollectionSchema _schema = new()
    {
        Dimension = 3,
        Metric = DistanceMetric.L2,
        Attributes = [new("doc", AttributeType.String), new("tags", AttributeType.StringSet)],
    };

    [TestCase(false, 1)]
    [TestCase(true, 2)]
    [TestCase(true, 1, Category = "Heavy")]
    [TestCase(false, 2, Category = "Heavy")]
    [TestCase(false, 3, Category = "Heavy")]
    [TestCase(true, 3, Category = "Heavy")]
    public async Task A_cursor_gives_each_record_once_while_the_collection_changes(bool withText, int seed)
    {
        using var folder = new CollectionDirectory();
        await using VectorCollection<string> collection = await folder.OpenAsync<string>(schema: _schema);
        var random = new Random(seed);
        await WriteAllAsync(collection, 600, static _ => "all");
        await collection.CompactAsync();
        CollectionCursor<string> cursor = collection.OpenSearch<float>(
            _query, include: withText ? Include.Key | Include.Attributes : Include.Key, filter: Filter.Exists("doc"));
        var found = new List<string>();
        var deleted = new HashSet<string>();
        for (int page = 0; ; page++)
        {
            CollectionResult<string> next = await cursor.NextAsync(25);
            Assert.That(next.Select(hit => hit.Key).Where(deleted.Contains), Is.Empty, "deleted before the call");
            found.AddRange(next.Select(hit => hit.Key));
            if (next.Count < 25)
            {
                Assert.That(next.Statistics.EndedBy, Is.EqualTo(SearchEnd.AllMatches).Or.EqualTo(SearchEnd.AllVectors));
                break;
            }

            // Given ones are written again, and move behind; some that come later are deleted.
            await WriteAsync(collection, int.Parse(next[0].Key[1..]), 1000 + page);
            string last = $"k{random.Next(400, 600)}";
            await collection.DeleteAsync(last);
            deleted.Add(last);
            if (page % 5 == 2)
                await collection.CompactAsync();
        }

        Assert.That(found, Is.Unique);
        Assert.That(Enumerable.Range(0, 600).Select(key => $"k{key}").Except(found).Except(deleted), Is.Empty, "missing");
    }

    [Test]
    public async Task A_group_takes_no_more_than_its_share([Values(1, 2)] int perGroup, [Values] bool isCompact)
    {
        using var folder = new CollectionDirectory();
        await using VectorCollection<string> collection = await folder.OpenAsync<string>(schema: _schema);
        await WriteAllAsync(collection, 300, static key => key < 200 ? "crowd" : key % 10 == 9 ? null : $"doc{key / 10}");
        if (isCompact)
            await collection.CompactAsync();
        CollectionResult<string> hits = await collection.SearchGroupedAsync<float>(_query, 6, "doc", perGroup);
        string[] expected = perGroup == 1
            ? ["k0", "k200", "k209", "k210", "k219", "k220"]
            : ["k0", "k1", "k200", "k201", "k209", "k210"];
        using (Assert.EnterMultipleScope())
        {
            Assert.That(hits.Select(hit => hit.Key).ToArray(), Is.EqualTo(expected));
            Assert.That(hits.Statistics.EndedBy, Is.EqualTo(SearchEnd.Complete));
            Assert.That(hits.Select(hit => hit.Attributes), Is.All.Null, "they were not asked for");
        }

        float[] queries = [.. _query, 1, 215, 2, .. _query];
        CollectionResult<string>[] batch = await collection.SearchGroupedBatchAsync<float>(queries, 6, "doc", perGroup);
        Assert.That(batch.Select(result => result.Select(hit => hit.Key)), Is.EqualTo(new[]
        {
            expected,
            (await collection.SearchGroupedAsync<float>(queries.AsMemory(3, 3), 6, "doc", perGroup)).Select(hit => hit.Key),
            expected,
        }));

        CollectionResult<string> crowd = await collection.SearchGroupedAsync<float>(
            _query, 6, "doc", perGroup, include: Include.Attributes, filter: Filter.Equal("doc", "crowd"));
        Assert.That(crowd.Select(hit => hit.Attributes!["doc"].ToString()), Is.All.Contains("crowd"));
        Assert.That((crowd.Count, crowd.Statistics.EndedBy), Is.EqualTo((perGroup, SearchEnd.AllMatches)));
    }

    [Test]
    public async Task Groups_that_make_no_sense_are_refused()
    {
        using var folder = new CollectionDirectory();
        await using VectorCollection<string> collection = await folder.OpenAsync<string>(schema: _schema);
        using (Assert.EnterMultipleScope())
        {
            Assert.That(Search("dco"), Throws.ArgumentException.With.Message.Contains("'dco', which the schema has not"));
            Assert.That(Search("tags"), Throws.ArgumentException.With.Message.Contains("a set of strings"));
            Assert.That(Search("doc", k: 0), Throws.TypeOf<ArgumentOutOfRangeException>());
            Assert.That(Search("doc", perGroup: 0), Throws.TypeOf<ArgumentOutOfRangeException>());
            Assert.That(() => collection.SearchGroupedBatchAsync<float>(_query, 5, "tags"), Throws.ArgumentException);
            Assert.That(
                () => collection.SearchGroupedBatchAsync<float>(new float[4], 5, "doc"), Throws.TypeOf<InvalidVectorException>());
            CollectionResult<string> none = await collection.SearchGroupedAsync<float>(_query, 5, "doc");
            Assert.That((none.Count, none.Statistics.EndedBy), Is.EqualTo((0, SearchEnd.AllVectors)));
        }

        Action Search(string groupBy, int k = 3, int perGroup = 1) =>
            () => collection.SearchGroupedAsync<float>(_query, k, groupBy, perGroup).GetAwaiter().GetResult();
    }

    private static Task WriteAsync(VectorCollection<string> collection, int key, float place, string? doc = "all") =>
        collection.UpsertAsync($"k{key}", new float[] { 1, place, 2 }, doc is null ? null : new AttributeSet { ["doc"] = doc });

    // At once, which is cheaper.
    private static Task WriteAllAsync(VectorCollection<string> collection, int count, Func<int, string?> docOf)
    {
        WriteBatch<string> batch = collection.CreateBatch();
        for (int key = 0; key < count; key++)
        {
            string? doc = docOf(key);
            batch.Upsert($"k{key}", new float[] { 1, key, 2 }, doc is null ? null : new AttributeSet { ["doc"] = doc });
        }

        return collection.WriteAsync(batch);
    }
}
