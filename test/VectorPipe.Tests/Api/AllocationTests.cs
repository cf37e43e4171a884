using NUnit.Framework;
using VectorPipe.Devices;
using VectorPipe.Searching;

namespace VectorPipe.Tests.Api;

/// <summary>Steady state allocates nothing: not per read, not per hop, not per query.</summary>
[TestFixture]
[NonParallelizable]
public sealed class AllocationTests
{
    private const int Rounds = 100;
    private const int Batch = 100;
    private const int K = 10;

    // The test host allocates now and then beside us, so the quietest of a few windows counts. One object of 24 bytes a query would be 240,000.
    private const int Windows = 5;
    private const long BoundBytes = 60_000;

    [Test]
    public void A_session_allocates_nothing_per_query(
        [Values(DeviceKind.Uring, DeviceKind.Portable, DeviceKind.Memory, DeviceKind.MemoryRing)] DeviceKind device, [Values(SearchMode.Pipelined, SearchMode.Beam)] SearchMode mode)
    {
        using TestIndex test = TestIndex.Build(count: 2000);
        using VectorIndex index = test.OpenOrIgnore(device);
        using SearchSession session = index.OpenSession();
        byte[] queries = test.MakeQueries(Batch);
        var hits = new SearchHit[Batch * K];
        var statistics = new SearchStatistics[Batch];
        var options = new SearchOptions { Mode = mode };
        for (int i = 0; i < 20; i++)
            session.SearchMany<byte>(queries, K, hits, statistics, options);

        long thread = 0, process = long.MaxValue;
        for (int window = 0; window < Windows && process >= BoundBytes; window++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            long processBefore = GC.GetTotalAllocatedBytes(precise: true);
            for (int i = 0; i < Rounds; i++)
                session.SearchMany<byte>(queries, K, hits, statistics, options);
            process = Math.Min(process, GC.GetTotalAllocatedBytes(precise: true) - processBefore);
            thread += GC.GetAllocatedBytesForCurrentThread() - before;
        }

        using (Assert.EnterMultipleScope())
        {
            Assert.That(thread, Is.Zero, "bytes allocated by the run thread over 10,000 queries");
            Assert.That(process, Is.LessThan(BoundBytes), "bytes allocated by the whole process over 10,000 queries");
        }
    }

    [Test]
    public void A_session_allocates_nothing_per_query_with_a_cache(
        [Values] CachePolicy policy, [Values(3 * 4128, 20 * 4128, 1 << 30)] long cacheBytes, [Values(SearchMode.Pipelined, SearchMode.Beam)] SearchMode mode)
    {
        using TestIndex test = TestIndex.Build(count: 1000);
        using VectorIndex index = VectorIndex.Open(
            test.Directory, new OpenOptions { Device = new DeviceOptions { Kind = DeviceKind.Memory }, QueriesInFlight = 4, CachePolicy = policy, CacheBytes = cacheBytes });
        using SearchSession session = index.OpenSession();
        byte[] queries = test.MakeQueries(Batch);
        var hits = new SearchHit[Batch * K];
        var statistics = new SearchStatistics[Batch];
        var options = new SearchOptions { Mode = mode };
        for (int i = 0; i < 20; i++)
            session.SearchMany<byte>(queries, K, hits, statistics, options);
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < Rounds / 5; i++)
            session.SearchMany<byte>(queries, K, hits, statistics, options);
        Assert.That(GC.GetAllocatedBytesForCurrentThread() - before, Is.Zero, "bytes allocated by the run thread over 2,000 queries");
    }

    [Test]
    public void A_query_that_sees_more_than_all_before_it_allocates_nothing([Values(SearchMode.Pipelined, SearchMode.Beam)] SearchMode mode)
    {
        // The set of seen ids is full at 6,144, and moves to a larger array.
        const int limit = 6144;
        using TestIndex test = TestIndex.Build(count: 10_000, dimension: 16, layout: IndexLayout.Plain);
        using VectorIndex index = test.Open(DeviceKind.Memory);
        byte[] queries = test.MakeQueries(Batch);
        var hits = new SearchHit[Batch * K];
        var statistics = new SearchStatistics[Batch];
        SearchOptions options = new() { Mode = mode, ListSize = 500 };
        using (SearchSession session = index.OpenSession())
        {
            // A list long enough that some queries see more than that, and short enough that others do not.
            do
            {
                options = options with { ListSize = options.ListSize * 11 / 10 };
                session.SearchMany<byte>(queries, K, hits, statistics, options);
            }
            while (statistics.Max(query => query.CodeDistances) <= limit);
        }

        Assert.That(statistics.Min(query => query.CodeDistances), Is.LessThan(limit), "the test needs queries that see few ids");
        byte[] few = Repeat(statistics.MinBy(query => query.CodeDistances));
        byte[] many = Repeat(statistics.MaxBy(query => query.CodeDistances));
        using SearchSession measured = index.OpenSession();
        for (int i = 0; i < 20; i++)
            measured.SearchMany<byte>(few, K, hits, [], options);
        long before = GC.GetAllocatedBytesForCurrentThread();
        measured.SearchMany<byte>(many, K, hits, [], options);
        Assert.That(GC.GetAllocatedBytesForCurrentThread() - before, Is.Zero);

        byte[] Repeat(SearchStatistics query)
        {
            int row = Array.IndexOf(statistics, query);
            return [.. Enumerable.Repeat(queries[(row * test.RowBytes)..((row + 1) * test.RowBytes)], 16).SelectMany(bytes => bytes)];
        }
    }

    [Test]
    public async Task Awaiting_allocates_nothing_per_query_once_results_are_given_back()
    {
        using TestIndex test = TestIndex.Build(count: 2000);
        using VectorIndex index = test.Open(DeviceKind.Memory);
        byte[] queries = test.MakeQueries(Batch);
        await SearchRounds(index, test, queries, 30);
        long process = long.MaxValue;
        for (int window = 0; window < Windows && process >= BoundBytes; window++)
        {
            long before = GC.GetTotalAllocatedBytes(precise: true);
            await SearchRounds(index, test, queries, Rounds);
            process = Math.Min(process, GC.GetTotalAllocatedBytes(precise: true) - before);
        }

        // A loop that has to wait for the answer allocates its own state machine once a round, not once a query.
        Assert.That(process, Is.LessThan(BoundBytes + (Rounds * 200)), "bytes allocated by the whole process over 10,000 awaited queries");
    }

    [Test]
    public void A_session_allocates_nothing_per_look_up([Values(DeviceKind.Uring, DeviceKind.Portable, DeviceKind.Memory, DeviceKind.MemoryRing)] DeviceKind device)
    {
        using TestIndex test = TestIndex.Build(count: 2000);
        using VectorIndex index = test.OpenOrIgnore(device);
        using SearchSession session = index.OpenSession();

        // Every second key is missing.
        ulong[] keys = [.. Enumerable.Range(0, Batch).Select(i => (ulong)i * 40)];
        byte[] vectors = new byte[Batch * test.Dimension];
        bool[] found = new bool[Batch];
        for (int i = 0; i < 20; i++)
            session.TryGetMany<byte>(keys, vectors, found);

        long thread = 0, process = long.MaxValue;
        for (int window = 0; window < Windows && process >= BoundBytes; window++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            long processBefore = GC.GetTotalAllocatedBytes(precise: true);
            for (int i = 0; i < Rounds; i++)
                session.TryGetMany<byte>(keys, vectors, found);
            process = Math.Min(process, GC.GetTotalAllocatedBytes(precise: true) - processBefore);
            thread += GC.GetAllocatedBytesForCurrentThread() - before;
        }

        using (Assert.EnterMultipleScope())
        {
            Assert.That(found.Count(f => f), Is.EqualTo(Batch / 2));
            Assert.That(thread, Is.Zero, "bytes allocated by the run thread over 10,000 look-ups");
            Assert.That(process, Is.LessThan(BoundBytes), "bytes allocated by the whole process over 10,000 look-ups");
        }
    }

    [Test]
    public async Task Awaiting_allocates_nothing_per_look_up_once_records_are_given_back()
    {
        using TestIndex test = TestIndex.Build(count: 2000);
        using VectorIndex index = test.Open(DeviceKind.Memory);
        await GetRounds(index, 30);
        long process = long.MaxValue;
        for (int window = 0; window < Windows && process >= BoundBytes; window++)
        {
            long before = GC.GetTotalAllocatedBytes(precise: true);
            await GetRounds(index, Rounds);
            process = Math.Min(process, GC.GetTotalAllocatedBytes(precise: true) - before);
        }

        // As above: a state machine a round, nothing a look-up.
        Assert.That(process, Is.LessThan(BoundBytes + (Rounds * 200)), "bytes allocated by the whole process over 10,000 awaited look-ups");
    }

    private static async Task GetRounds(VectorIndex index, int rounds)
    {
        for (int i = 0; i < rounds; i++)
        {
            for (int row = 0; row < Batch; row++)
            {
                using VectorRecord? record = await index.GetAsync((ulong)row * 40, withLinks: true).ConfigureAwait(false);
            }
        }
    }

    private static async Task SearchRounds(VectorIndex index, TestIndex test, byte[] queries, int rounds)
    {
        for (int i = 0; i < rounds; i++)
        {
            for (int row = 0; row < Batch; row++)
            {
                using SearchResult result = await index.SearchAsync<byte>(queries.AsMemory(row * test.RowBytes, test.RowBytes), K).ConfigureAwait(false);
            }
        }
    }
}
