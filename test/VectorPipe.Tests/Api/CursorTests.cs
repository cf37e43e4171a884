using NUnit.Framework;

namespace VectorPipe.Tests.Api;

/// <summary>A cursor brings what a search for as many brings, a few at a time, nothing twice, and ends with the reason.</summary>
[TestFixture]
internal sealed class CursorTests
{
    private const int Rows = 4000;

    private TestIndex _test = null!;
    private TestIndex _lists = null!;
    private TestIndex _coded = null!;

    [OneTimeSetUp]
    public void Build()
    {
        _test = TestIndex.Build(count: Rows);
        _lists = TestIndex.BuildLists(count: Rows);
        _coded = TestIndex.BuildLists(count: Rows, codeBytes: 16);
    }

    [OneTimeTearDown]
    public void Delete()
    {
        _test.Dispose();
        _lists.Dispose();
        _coded.Dispose();
    }

    [Test]
    [Spread]
    public async Task Pages_together_are_the_answer_of_one_search(
        [Values("graph", "lists", "coded lists")] string kind, [Values(1, 7, 50)] int size)
    {
        const int wanted = 350;
        TestIndex test = kind switch { "graph" => _test, "lists" => _lists, _ => _coded };
        using VectorIndex index = test.Open(DeviceKind.Memory);
        byte[] queries = test.MakeQueries(4);
        int reads = 0, readsOfOne = 0;
        for (int query = 0; query < 4; query++)
        {
            ReadOnlyMemory<byte> row = queries.AsMemory(query * test.RowBytes, test.RowBytes);
            SearchResult one = await index.SearchAsync<byte>(row, wanted);
            SearchCursor cursor = index.OpenSearch<byte>(row);
            var hits = new List<SearchHit>();
            while (hits.Count < wanted)
            {
                SearchResult next = await cursor.NextAsync(size);
                Assert.That((next.Count, next.Statistics.Hits, next.Statistics.EndedBy), Is.EqualTo((size, size, SearchEnd.Complete)));
                hits.AddRange(next);
                reads += next.Statistics.Reads;
            }

            Assert.That(hits.Select(hit => hit.Key), Is.Unique);
            // Others may have been found nearer: then the rest comes next.
            int missing = one.Count(hit => hit.Score < hits[^1].Score && !hits.Contains(hit));
            Assert.That(missing, Is.AtMost(0.03 * wanted));
            readsOfOne += one.Statistics.Reads;
        }

        // A piece of a list that was cut short is read in two.
        Assert.That(reads, Is.AtMost(1.3 * readsOfOne), "pages are read once");
    }

    [Test]
    public async Task The_end_comes_with_its_reason_and_nothing_is_missing()
    {
        using VectorIndex index = _test.Open(DeviceKind.Memory);
        byte[] query = _test.MakeQueries(1);
        SearchResult all = await index.SearchAsync<byte>(query.AsMemory(), Rows, new SearchOptions { Mode = SearchMode.Exact });
        await AssertEndAsync(new SearchOptions { Mode = SearchMode.Exact }, Rows, SearchEnd.AllVectors);
        await AssertEndAsync(
            new SearchOptions { Mode = SearchMode.Exact, Keys = KeyFilter.Where(static key => key < 55) }, 55, SearchEnd.AllMatches);
        float within = all[120].Score;
        await AssertEndAsync(
            new SearchOptions { Mode = SearchMode.Exact, Within = within }, all.Count(hit => hit.Score <= within), SearchEnd.AllWithin);

        async Task AssertEndAsync(SearchOptions options, int count, SearchEnd reason)
        {
            SearchCursor cursor = index.OpenSearch<byte>(query.AsMemory(), options);
            var keys = new List<ulong>();
            SearchResult next;
            do
            {
                next = await cursor.NextAsync(40);
                keys.AddRange(next.Select(hit => hit.Key));
            }
            while (next.Count == 40);
            Assert.That(next.Statistics.EndedBy, Is.EqualTo(reason));
            Assert.That(keys, Has.Count.EqualTo(count).And.Unique);
            next = await cursor.NextAsync(40);
            Assert.That((next.Count, next.Statistics.EndedBy, next.Statistics.Reads), Is.EqualTo((0, reason, 0)));
        }
    }

    [Test]
    public async Task A_limit_of_reads_is_one_of_each_call_and_the_next_goes_on()
    {
        using VectorIndex index = _test.Open(DeviceKind.Memory);
        SearchCursor cursor = index.OpenSearch<byte>(_test.MakeQueries(1).AsMemory(), new SearchOptions { MaxReads = 1 });
        var keys = new List<ulong>();
        int limited = 0;
        for (int call = 0; call < 200 && keys.Count < 100; call++)
        {
            SearchResult next = await cursor.NextAsync(50);
            Assert.That(next.Statistics.Reads, Is.AtMost(1));
            limited += next.Statistics.EndedBy == SearchEnd.MaxReads ? 1 : 0;
            keys.AddRange(next.Select(hit => hit.Key));
        }

        Assert.That(keys, Has.Count.AtLeast(100).And.Unique);
        Assert.That(limited, Is.GreaterThan(0));
    }

    [Test]
    public async Task A_call_that_is_cancelled_loses_nothing()
    {
        using VectorIndex index = _test.Open(DeviceKind.Memory);
        byte[] query = _test.MakeQueries(1);
        SearchCursor cursor = index.OpenSearch<byte>(query.AsMemory()), other = index.OpenSearch<byte>(query.AsMemory());
        await cursor.NextAsync(10);
        await other.NextAsync(10);
        await Assert.ThatAsync(
            async () => await cursor.NextAsync(30, new CancellationToken(canceled: true)), Throws.InstanceOf<OperationCanceledException>());
        Assert.That(await cursor.NextAsync(30), Is.EqualTo(await other.NextAsync(30)));
    }

    [Test]
    public async Task Calls_that_make_no_sense_are_refused()
    {
        VectorIndex index = _test.Open(DeviceKind.Memory);
        byte[] query = _test.MakeQueries(1);
        SearchCursor cursor = index.OpenSearch<byte>(query.AsMemory());
        await Assert.ThatAsync(async () => await cursor.NextAsync(0), Throws.TypeOf<ArgumentOutOfRangeException>());
        Assert.That(() => index.OpenSearch<byte>(query.AsMemory(1)), Throws.TypeOf<InvalidVectorException>());
        Assert.That(
            () => index.OpenSearch<byte>(query.AsMemory(), new SearchOptions { TargetRecall = 2 }),
            Throws.TypeOf<ArgumentOutOfRangeException>());
        index.Dispose();
        await Assert.ThatAsync(async () => await cursor.NextAsync(1), Throws.TypeOf<ObjectDisposedException>());
    }
}
