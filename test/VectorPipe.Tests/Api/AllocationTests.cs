using System.Diagnostics.Metrics;
using System.Runtime.CompilerServices;
using NUnit.Framework;
using VectorPipe.Model;
using VectorPipe.Model.Open;
using VectorPipe.Tests.Collections;
using VectorPipe.Tests.Devices;

namespace VectorPipe.Tests.Api;

/// <summary>Steady state allocates nothing: not per read, not per hop, not per query.</summary>
[TestFixture]
[Alone]
internal sealed class AllocationTests
{
    private const int Rounds = 20;
    private const int Batch = 100;
    private const int K = 10;

    // The run thread allocates nothing. In the process the threads of the test host allocate too; one object of 24 bytes per query would
    // be 48,000 bytes. The benchmark tests measure a process of their own, to the byte.
    private const long BoundBytes = 20_000;

    // An array of K hits, and an object of the array and the statistics.
    private static readonly long _resultBytes =
        Rounds * Batch * (24L + (K * Unsafe.SizeOf<SearchHit>()) + 24 + Unsafe.SizeOf<SearchStatistics>());

    // An array of a vector, an empty one of links, and an object of 64 bytes.
    private const long RecordBytes = Rounds * Batch / 2 * (24L + 32 + 64);

    private TestIndex _test = null!;
    private TestIndex _long = null!;
    private TestIndex _wide = null!;

    [OneTimeSetUp]
    public void Build()
    {
        _test = TestIndex.Build(count: 2000);
        _long = TestIndex.Build(count: 8_000, dimension: 16, layout: IndexLayout.Plain);
        _wide = TestIndex.Build(count: 6_000, dimension: 16);
    }

    [OneTimeTearDown]
    public void Delete()
    {
        _test.Dispose();
        _long.Dispose();
        _wide.Dispose();
    }

    // Returns the cost of the first query.
    private static SearchStatistics AssertNothing(TestIndex test, TestDevice device, SearchOptions options)
    {
        using VectorIndex index = test.OpenOrIgnore(device);
        using SearchSession session = index.OpenSession();
        byte[] queries = test.MakeQueries(Batch);
        var hits = new SearchHit[Batch * K];
        var statistics = new SearchStatistics[Batch];
        Search(Rounds / 2);
        (long thread, long process) = Allocations.Of(() => Search(Rounds), BoundBytes - 1);
        using (Assert.EnterMultipleScope())
        {
            Assert.That(thread, Is.Zero, "bytes allocated by the run thread over 2,000 queries");
            Assert.That(process, Is.LessThan(BoundBytes), "bytes allocated by the whole process over 2,000 queries");
        }

        return statistics[0];

        void Search(int rounds)
        {
            for (int i = 0; i < rounds; i++)
                session.SearchMany<byte>(queries, K, hits, statistics, options);
        }
    }

    [Test]
    [Spread(2)]
    public void A_session_allocates_nothing_per_query(
        [Values(
            TestDevice.Uring, TestDevice.Portable, TestDevice.Memory,
            TestDevice.MemoryRing)] TestDevice device, [Values(SearchMode.Pipelined, SearchMode.Beam)] SearchMode mode)
    {
        AssertNothing(_test, device, new SearchOptions { Mode = mode });
    }

    [Test]
    [Spread]
    public void A_session_allocates_nothing_per_query_with_a_filter_or_a_limit(
        [Values(SearchMode.Pipelined, SearchMode.Beam)] SearchMode mode, [Values(1, 20, 2)] int divisor, [Values] bool isLimited)
    {
        var options = new SearchOptions
        {
            Mode = mode,
            Keys = divisor == 1 ? null : KeyFilter.Where(key => key % (ulong)divisor == 0),
            MaxReads = isLimited ? 8 : null,
            Deadline = isLimited ? TimeSpan.FromSeconds(5) : null,
            Within = isLimited ? 100_000 : null,
        };
        FilterStrategy expected = divisor switch
        {
            1 => FilterStrategy.None,
            20 => FilterStrategy.Codes,
            _ => FilterStrategy.Cells,
        };
        Assert.That(AssertNothing(_wide, TestDevice.Memory, options).Strategy, Is.EqualTo(expected));
    }

    [Test]
    [Spread]
    public void A_session_allocates_nothing_per_query_with_a_cache(
        [Values] CachePolicy policy, [Values(3 * 4128, 20 * 4128, 1 << 30)] long cacheBytes, [
            Values(SearchMode.Pipelined, SearchMode.Beam)] SearchMode mode)
    {
        TestIndex test = _test;
        using VectorIndex index = VectorIndex.Open(
            test.Directory, new OpenOptions
            {
                Device = new DeviceOptions { Kind = DeviceKind.Memory },
                QueriesInFlight = 4,
                CachePolicy = policy,
                CacheBytes = cacheBytes
            });
        using SearchSession session = index.OpenSession();
        byte[] queries = test.MakeQueries(Batch);
        var hits = new SearchHit[Batch * K];
        var statistics = new SearchStatistics[Batch];
        var options = new SearchOptions { Mode = mode };
        for (int i = 0; i < 20; i++)
            session.SearchMany<byte>(queries, K, hits, statistics, options);
        long allocated = Allocations.OfThread(() =>
        {
            for (int i = 0; i < Rounds / 2; i++)
                session.SearchMany<byte>(queries, K, hits, statistics, options);
        });
        Assert.That(allocated, Is.Zero, "bytes allocated by the run thread over 2,000 queries");
    }

    [Test]
    [Category("Heavy")]
    public void A_query_that_sees_more_ids_than_before_allocates_nothing([Values(SearchMode.Pipelined, SearchMode.Beam)] SearchMode mode)
    {
        // The set of seen ids is full at 6,144, and moves to a larger array.
        const int limit = 6144;
        TestIndex test = _long;
        using VectorIndex index = test.Open(DeviceKind.Memory);
        byte[] queries = test.MakeQueries(Batch);
        var hits = new SearchHit[Batch * K];
        var statistics = new SearchStatistics[Batch];
        SearchOptions options = new() { Graph = new GraphSearch { ListSize = 2000 }, Mode = mode };
        using (SearchSession session = index.OpenSession())
        {
            // A list long enough that some queries see more than that, and short enough that others do not.
            do
            {
                options = options with { Graph = options.Graph! with { ListSize = options.Graph.ListSize * 11 / 10 } };
                session.SearchMany<byte>(queries, K, hits, statistics, options);
            }
            while (statistics.Max(query => query.CodeDistances) <= limit);
        }

        Assert.That(statistics.Min(query => query.CodeDistances), Is.LessThan(limit), "the test needs queries that see few ids");
        byte[] few = Repeat(statistics.MinBy(query => query.CodeDistances));
        byte[] many = Repeat(statistics.MaxBy(query => query.CodeDistances));
        SearchSession? measured = null;
        Assert.That(Allocations.OfThread(Prepare), Is.Zero);
        measured?.Dispose();

        // A session sees many ids for the first time only once.
        Action Prepare()
        {
            measured?.Dispose();
            SearchSession fresh = measured = index.OpenSession();
            for (int i = 0; i < 6; i++)
                fresh.SearchMany<byte>(few, K, hits, [], options);
            return () => fresh.SearchMany<byte>(many, K, hits, [], options);
        }

        byte[] Repeat(SearchStatistics query)
        {
            int row = Array.IndexOf(statistics, query);
            return [.. Enumerable.Repeat(queries[(row * test.RowBytes)..((row + 1) * test.RowBytes)], 16).SelectMany(bytes => bytes)];
        }
    }

    [Test]
    public async Task Awaiting_into_the_callers_memory_allocates_nothing_per_query()
    {
        TestIndex test = _test;
        using VectorIndex index = test.Open(DeviceKind.Memory);
        byte[] queries = test.MakeQueries(Batch);
        await SearchRounds(index, test, queries, 30);
        long process = await Allocations.OfProcessAsync(() => SearchRounds(index, test, queries, Rounds), BoundBytes - 1);

        // A loop that has to wait for the answer allocates its own state machine once a round, not once a query.
        Assert.That(process, Is.LessThan(BoundBytes + (Rounds * 200)), "bytes allocated by the whole process over 2,000 awaited queries");
    }

    [Test]
    public async Task A_result_costs_its_object_and_its_array()
    {
        TestIndex test = _test;
        using VectorIndex index = test.Open(DeviceKind.Memory);
        byte[] queries = test.MakeQueries(Batch);
        await ResultRounds(index, test, queries, 30);
        long process = await Allocations.OfProcessAsync(() => ResultRounds(index, test, queries, Rounds), _resultBytes + BoundBytes - 1);

        Assert.That(
            process, Is.LessThan(_resultBytes + BoundBytes + (Rounds * 200)),
            "bytes allocated by the whole process over 2,000 awaited queries");
    }

    [Test]
    public void A_session_allocates_nothing_per_look_up(
        [Values(TestDevice.Uring, TestDevice.Portable, TestDevice.Memory, TestDevice.MemoryRing)] TestDevice device)
    {
        TestIndex test = _test;
        using VectorIndex index = test.OpenOrIgnore(device);
        using SearchSession session = index.OpenSession();

        // Every second key is missing.
        ulong[] keys = [.. Enumerable.Range(0, Batch).Select(i => (ulong)i * 40)];
        byte[] vectors = new byte[Batch * test.Dimension];
        bool[] found = new bool[Batch];
        for (int i = 0; i < 20; i++)
            session.TryGetMany<byte>(keys, vectors, found);

        (long thread, long process) = Allocations.Of(
            () =>
            {
                for (int i = 0; i < Rounds; i++)
                    session.TryGetMany<byte>(keys, vectors, found);
            },
            BoundBytes - 1);
        using (Assert.EnterMultipleScope())
        {
            Assert.That(found.Count(f => f), Is.EqualTo(Batch / 2));
            Assert.That(thread, Is.Zero, "bytes allocated by the run thread over 2,000 look-ups");
            Assert.That(process, Is.LessThan(BoundBytes), "bytes allocated by the whole process over 2,000 look-ups");
        }
    }

    [Test]
    public async Task A_record_costs_its_object_and_its_array()
    {
        TestIndex test = _test;
        using VectorIndex index = test.Open(DeviceKind.Memory);
        await GetRounds(index, 30);
        long process = await Allocations.OfProcessAsync(() => GetRounds(index, Rounds), RecordBytes + BoundBytes - 1);

        // Every second key is missing.
        Assert.That(
            process, Is.LessThan(RecordBytes + BoundBytes + (Rounds * 200)),
            "bytes allocated by the whole process over 2,000 awaited look-ups");
    }

    [Test]
    public async Task A_search_of_a_collection_costs_nothing_for_telemetry_unless_somebody_listens()
    {
        // A task of its own, 72 bytes, is the least that telemetry takes for a search.
        const long LeastBytes = 48;
        using var folder = new CollectionDirectory();
        await using VectorCollection<int> collection = await folder.OpenAsync<int>(
            schema: new CollectionSchema { Dimension = 2, Metric = DistanceMetric.L2 });
        for (int key = 0; key < 2 * K; key++)
            await collection.UpsertAsync(key, new float[] { 1, key });
        long heard;
        using (var listener = new MeterListener())
        {
            listener.InstrumentPublished = static (instrument, listener) =>
            {
                if (instrument.Meter.Name == VectorPipeTelemetry.MeterName && instrument.Name == "vectorpipe.search.rounds")
                    listener.EnableMeasurementEvents(instrument);
            };
            listener.Start();
            heard = await MeasureAsync(enoughBytes: 0);
        }

        long unheard = await MeasureAsync(heard - (Rounds * Batch * LeastBytes));
        Assert.That(
            unheard, Is.LessThanOrEqualTo(heard - (Rounds * Batch * LeastBytes)), "bytes of 2,000 searches, without and with a listener");

        async Task<long> MeasureAsync(long enoughBytes)
        {
            await SearchAsync();
            return await Allocations.OfProcessAsync(SearchAsync, enoughBytes);
        }

        async Task SearchAsync()
        {
            var query = new float[] { 1, 1 };
            for (int i = 0; i < Rounds * Batch; i++)
                await collection.SearchAsync(query, K).ConfigureAwait(false);
        }
    }

    [Test]
    public async Task Filling_a_buffer_with_hits_of_a_collection_allocates_nothing_per_query()
    {
        Allocations.SkipInDebug();

        // As many at once as a server has of one client: pools of the runtime keep fewer.
        const int AtOnce = 64;
        using var folder = new CollectionDirectory();
        CollectionOptions options = CollectionDirectory.Options with
        {
            Open = new OpenOptions { DeviceKind = DeviceKind.Portable, SearchThreads = 1, CacheBytes = 1 << 24 },
        };
        await using VectorCollection<string> collection = await folder.OpenAsync<string>(
            options, schema: new CollectionSchema { Dimension = 2, Metric = DistanceMetric.L2 });
        for (int key = 0; key < 10 * K; key++)
            await collection.UpsertAsync($"key {key}", new float[] { 1, key }, payload: new byte[100]);
        await collection.CompactAsync();
        await collection.UpsertAsync("key 1", new float[] { 1, 1 }, payload: new byte[100]);
        CollectionHitBuffer<string>[] buffers = [.. Enumerable.Range(0, AtOnce).Select(_ => new CollectionHitBuffer<string>())];
        var searches = new ValueTask[AtOnce];
        var query = new float[] { 1, 1 };
        await SearchAsync();

        long process = await Allocations.OfProcessAsync(SearchAsync, BoundBytes - 1);

        Assert.That(buffers.Select(buffer => buffer.Count), Has.All.EqualTo(K));
        Assert.That(process, Is.LessThan(BoundBytes + (Rounds * 200)), "bytes allocated by the whole process over 1,280 searches");

        async Task SearchAsync()
        {
            for (int round = 0; round < Rounds; round++)
            {
#pragma warning disable CA2012 // Each is awaited once, after all have begun.
                for (int i = 0; i < AtOnce; i++)
                    searches[i] = collection.SearchAsync(query.AsSpan(), buffers[i], K, include: Include.Payload);
#pragma warning restore CA2012
                foreach (ValueTask search in searches)
                    await search;
            }
        }
    }

    private static async Task GetRounds(VectorIndex index, int rounds)
    {
        for (int i = 0; i < rounds; i++)
        {
            for (int row = 0; row < Batch; row++)
            {
                await index.GetAsync((ulong)row * 40).ConfigureAwait(false);
            }
        }
    }

    private static async Task ResultRounds(VectorIndex index, TestIndex test, byte[] queries, int rounds)
    {
        for (int i = 0; i < rounds; i++)
        {
            for (int row = 0; row < Batch; row++)
                await index.SearchAsync<byte>(queries.AsMemory(row * test.RowBytes, test.RowBytes), K).ConfigureAwait(false);
        }
    }

    private static async Task SearchRounds(VectorIndex index, TestIndex test, byte[] queries, int rounds)
    {
        var hits = new SearchHit[K];
        for (int i = 0; i < rounds; i++)
        {
            for (int row = 0; row < Batch; row++)
            {
                await index.SearchAsync<byte>(queries.AsMemory(row * test.RowBytes, test.RowBytes), hits).ConfigureAwait(false);
            }
        }
    }
}
