using Microsoft.Extensions.Logging.Abstractions;
using NUnit.Framework;
using VectorPipe.Devices;
using VectorPipe.Devices.Choosing;
using VectorPipe.Model.Open;
using VectorPipe.Tests.Collections;
using VectorPipe.Tests.Faults;

namespace VectorPipe.Tests.Api.Sessions;

/// <summary>Indexes and collections that share an engine: its threads, its queue and its memory.</summary>
[TestFixture]
internal sealed class EngineTests
{
    private const int Count = 300;
    private TestIndex _test = null!;

    [OneTimeSetUp]
    public void Build() => _test = TestIndex.Build(count: Count, dimension: 16);

    [OneTimeTearDown]
    public void Delete() => _test.Dispose();

    [TestCase(1)]
    [TestCase(3, Category = "Heavy")]
    public void Many_indexes_are_served_by_the_same_threads_and_keep_few_device_queues(int rounds) => Watchdog.Run("many", () =>
    {
        const int Indexes = 30, Threads = 2, MostIdle = 8;
        using var engine = new VectorPipeEngine(new VectorPipeEngineOptions { SearchThreads = Threads });
        VectorIndex[] indexes = [.. Enumerable.Range(0, Indexes).Select(_ => Open(engine, DeviceKind.Portable))];
        Assert.That((engine.OpenIndexes, engine.QueuedQueries), Is.EqualTo((Indexes, 0)));
        for (int round = 0; round < rounds; round++)
        {
            (Task<SearchResult> Search, int Row)[] searches =
            [
                .. Enumerable.Range(0, 5 * Indexes).Select(i => (indexes[i % Indexes].SearchAsync<byte>(Row(i), 1, All()).AsTask(), i)),
            ];
            foreach ((Task<SearchResult> search, int row) in searches)
                Assert.That(search.GetAwaiter().GetResult()[0].Key, Is.EqualTo((ulong)(row % Count)));
        }

        Assert.That(indexes.Select(index => index.Lanes.Count), Is.All.EqualTo(Threads));
        Assert.That(
            SpinWait.SpinUntil(() => indexes.Sum(index => index.RunThreadReads.Count) <= Threads * MostIdle, HangBound.Patience), Is.True,
            "queues of indexes that are idle are closed");
        foreach (VectorIndex index in indexes)
            index.Dispose();
        Assert.That((engine.OpenIndexes, engine.MemoryBytes, engine.QueuedQueries), Is.EqualTo((0, 0L, 0)));
    });

    /// <remarks>A request that came while the idle ones were counted ended the process.</remarks>
    [TestCase(20)]
    [TestCase(100, Category = "Heavy")]
    public void Queues_of_idle_indexes_are_closed_while_requests_come_for_them(int searches) => Watchdog.Run("closed beside requests", () =>
    {
        const int Indexes = 20, Callers = 20;
        using var engine = new VectorPipeEngine(new VectorPipeEngineOptions { SearchThreads = 1 });
        VectorIndex[] indexes = [.. Enumerable.Range(0, Indexes).Select(_ => Open(engine, DeviceKind.Memory))];
        Task[] callers =
        [
            .. Enumerable.Range(0, Callers).Select(caller => Task.Run(async () =>
            {
                var random = new Random(caller);
                for (int i = 0; i < searches; i++)
                {
                    SearchResult found = await indexes[random.Next(Indexes)].SearchAsync<byte>(Row(i), 1, All());
                    Assert.That(found[0].Key, Is.EqualTo((ulong)(i % Count)));
                }
            })),
        ];
        Task.WhenAll(callers).GetAwaiter().GetResult();
        foreach (VectorIndex index in indexes)
            index.Dispose();
    });

    [TestCase(10)]
    [TestCase(30, Category = "Heavy")]
    public void More_busy_indexes_than_device_queues_take_turns(int each) => Watchdog.Run("turns", () =>
    {
        const int Indexes = 24, MostRunners = 16;
        using var engine = new VectorPipeEngine(new VectorPipeEngineOptions { SearchThreads = 1, MaxQueuedQueries = 100_000 });
        VectorIndex[] indexes = [.. Enumerable.Range(0, Indexes).Select(_ => Open(engine, DeviceKind.Portable))];
        SearchOptions exact = new() { Mode = SearchMode.Exact };
        int most = 0;
        Task<SearchResult>[] searches =
        [
            .. Enumerable.Range(0, each * Indexes)
                .Select(i => indexes[i % Indexes].SearchAsync<byte>(Row(i), 1, i % 3 == 0 ? exact : All()).AsTask()),
        ];
        for (int i = 0; i < searches.Length; i++)
        {
            Assert.That(searches[i].GetAwaiter().GetResult()[0].Key, Is.EqualTo((ulong)(i % Count)));
            most = Math.Max(most, indexes.Sum(index => index.RunThreadReads.Count));
        }

        Assert.That(most, Is.InRange(2, MostRunners));
        foreach (VectorIndex index in indexes)
            index.Dispose();
    });

    [Test]
    public void An_index_is_closed_while_others_hold_all_device_queues() => Watchdog.Run("full", () =>
    {
        using var engine = new VectorPipeEngine(new VectorPipeEngineOptions { SearchThreads = 1 });
        (VectorIndex Index, FaultDevice Device)[] busy = [.. Enumerable.Range(0, 20).Select(_ => OpenFaulty(engine))];
        VectorIndex closing = Open(engine, DeviceKind.Portable);
        closing.SearchAsync<byte>(Row(0), 1, All()).AsTask().GetAwaiter().GetResult();
        foreach ((_, FaultDevice device) in busy)
            device.Plan = new FaultPlan { OnRead = static (_, _) => new Fault(FaultKind.Lost) };
        Task<SearchResult>[] searches = [.. busy.Select(one => one.Index.SearchAsync<byte>(Row(1), 1, All()).AsTask())];
        Assert.That(SpinWait.SpinUntil(() => closing.RunThreadReads.Count == 0, HangBound.Patience), Is.True, "its queue went to another");
        closing.Dispose();
        End(busy, searches);
    });

    [Test]
    public void Reads_of_ended_searches_do_not_keep_the_queue_that_another_index_waits_for() => Watchdog.Run("ended", () =>
    {
        using var engine = new VectorPipeEngine(new VectorPipeEngineOptions { SearchThreads = 1 });
        (VectorIndex Index, FaultDevice Device)[] busy = [.. Enumerable.Range(0, 20).Select(_ => OpenFaulty(engine, inFlight: 1))];
        foreach ((_, FaultDevice device) in busy)
            device.Plan = new FaultPlan { OnRead = static (_, _) => new Fault(FaultKind.Lost) };
        using var cancellation = new CancellationTokenSource();
        Task<SearchResult>[] first = [.. busy.Select(one => one.Index.SearchAsync<byte>(Row(0), 1, All(), cancellation.Token).AsTask())];
        Task<SearchResult>[] second = [.. busy.Select(one => one.Index.SearchAsync<byte>(Row(1), 1, All()).AsTask())];

        // The share of time of those that have a queue ends meanwhile.
        long end = Environment.TickCount64 + 30;
        SpinWait.SpinUntil(() => Environment.TickCount64 > end);
        cancellation.Cancel();
        foreach (Task<SearchResult> search in first)
            Assert.That(() => search.GetAwaiter().GetResult(), Throws.InstanceOf<OperationCanceledException>());
        End(busy, second);
    });

    [Test]
    public void An_index_whose_reads_do_not_come_back_does_not_hold_up_another_one() => Watchdog.Run("fair", () =>
    {
        using var engine = new VectorPipeEngine(new VectorPipeEngineOptions { SearchThreads = 1 });
        (VectorIndex slow, FaultDevice device) = OpenFaulty(engine);
        using VectorIndex closed = slow;
        using VectorIndex other = Open(engine, DeviceKind.Portable);
        device.Plan = new FaultPlan { OnRead = static (_, _) => new Fault(FaultKind.Lost) };
        Task<SearchResult>[] stuck = [.. Enumerable.Range(0, 200).Select(i => slow.SearchAsync<byte>(Row(i), 1, All()).AsTask())];
        for (int i = 0; i < 100; i++)
            Assert.That(other.SearchAsync<byte>(Row(i), 1, All()).AsTask().GetAwaiter().GetResult()[0].Key, Is.EqualTo((ulong)i));
        Assert.That(stuck.Count(search => search.IsCompleted), Is.Zero);
        device.Plan = new FaultPlan { FindsLost = true };
        for (int i = 0; i < stuck.Length; i++)
            Assert.That(stuck[i].GetAwaiter().GetResult()[0].Key, Is.EqualTo((ulong)i));
    });

    [Test]
    public void Each_index_has_its_share_of_the_queue_and_the_engine_its_limit() => Watchdog.Run("limits", () =>
    {
        using var gate = new ManualResetEventSlim();
        using var engine = new VectorPipeEngine(new VectorPipeEngineOptions { SearchThreads = 1, MaxQueuedQueries = 30 });
        using VectorIndex first = OpenBehind(engine, gate, most: 20), second = OpenBehind(engine, gate, most: 20);
        List<Task<SearchResult>> accepted = [.. Enumerable.Range(0, 20).Select(i => first.SearchAsync<byte>(Row(i), 1, All()).AsTask())];
        SearchOverloadedException own = Refused(first);
        Assert.That((own.Limit, own.Queued), Is.EqualTo((20, 20)));
        Assert.That(own.Message, Does.Contain("OpenOptions.MaxQueuedQueries"));
        accepted.AddRange(Enumerable.Range(20, 10).Select(i => second.SearchAsync<byte>(Row(i), 1, All()).AsTask()));
        SearchOverloadedException shared = Refused(second);
        Assert.That((shared.Limit, shared.Queued), Is.EqualTo((30, 30)));
        Assert.That(shared.Message, Does.Contain("VectorPipeEngineOptions.MaxQueuedQueries"));
        Assert.That((engine.QueuedQueries, first.RequestsQueued, second.RequestsQueued), Is.EqualTo((30, 20, 10)));
        gate.Set();
        for (int i = 0; i < accepted.Count; i++)
            Assert.That(accepted[i].GetAwaiter().GetResult()[0].Key, Is.EqualTo((ulong)i));
        Assert.That((engine.QueuedQueries, first.RequestsQueued, second.RequestsQueued), Is.EqualTo((0, 0, 0)));

        SearchOverloadedException Refused(VectorIndex index) =>
            Assert.Throws<SearchOverloadedException>(() => _ = index.SearchAsync<byte>(Row(0), 1, All()).AsTask())!;
    });

    [Test]
    public void An_index_beyond_the_memory_is_not_opened_and_nothing_is_counted()
    {
        long bytes = VectorIndex.Inspect(_test.Directory).MemoryBytes;
        using var engine = new VectorPipeEngine(new VectorPipeEngineOptions { MemoryLimitBytes = (2 * bytes) + 1 });
        using VectorIndex first = Open(engine, DeviceKind.Portable);
        using (Open(engine, DeviceKind.Portable))
        {
            Assert.That((engine.OpenIndexes, engine.MemoryBytes), Is.EqualTo((2, 2 * bytes)));
            Assert.That(
                () => Open(engine, DeviceKind.Portable),
                Throws.TypeOf<MemoryLimitException>().With.Message.Contains($"{bytes} beside the {2 * bytes}").And.Message
                    .Contains("MemoryLimitBytes"));
        }

        Assert.That(
            () => VectorIndex.Open(_test.Directory, Options(engine, DeviceKind.Portable) with { CacheBytes = 1 << 20 }),
            Throws.TypeOf<MemoryLimitException>(), "a cache counts");
        Assert.That(
            () => VectorIndex.Open(_test.Directory, Options(engine, default), (_, _, _) => throw new DeviceException("made to fail")),
            Throws.TypeOf<DeviceException>());
        Assert.That((engine.OpenIndexes, engine.MemoryBytes), Is.EqualTo((1, bytes)));
    }

    [Test]
    public void An_engine_is_closed_after_its_indexes()
    {
        var engine = new VectorPipeEngine(new VectorPipeEngineOptions { SearchThreads = 1 });
        using (VectorIndex index = Open(engine, DeviceKind.Portable))
        {
            Assert.That(index.SearchAsync<byte>(Row(3), 1, All()).AsTask().GetAwaiter().GetResult()[0].Key, Is.EqualTo(3));
            Assert.That(engine.Dispose, Throws.InvalidOperationException.With.Message.Contains("found 1 open"));
            Assert.That(index.SearchAsync<byte>(Row(4), 1, All()).AsTask().GetAwaiter().GetResult()[0].Key, Is.EqualTo(4));
        }

        engine.Dispose();
        engine.Dispose();
        Assert.That(() => Open(engine, DeviceKind.Portable), Throws.TypeOf<ObjectDisposedException>());
    }

    [Test]
    public void Indexes_that_name_no_device_are_read_through_the_one_of_the_engine()
    {
        using var engine = new VectorPipeEngine(new VectorPipeEngineOptions { DeviceKind = DeviceKind.Portable });
        using VectorIndex left = Open(engine, DeviceKind.Auto);
        using VectorIndex named = Open(engine, DeviceKind.Memory);
        using VectorIndex given = VectorIndex.Open(
            _test.Directory, Options(engine, default) with { OpenDevice = paths => DefaultDevice.Open(paths, DeviceKind.Memory) });
        Assert.That(
            new[] { left, named, given }.Select(index => index.DeviceName), Is.EqualTo(new[] { "portable", "memory", "memory" }));
    }

    [Test]
    public void Options_that_make_no_sense_are_refused()
    {
        using var engine = new VectorPipeEngine();
        OpenOptions both = Options(engine, default) with { SearchThreads = 2 };
        Assert.That(
            () => VectorIndex.Open(_test.Directory, both), Throws.ArgumentException.With.Message.Contains("SearchThreads or an Engine"));
        Assert.That(
            () => new VectorPipeEngine(new VectorPipeEngineOptions { SearchThreads = 0 }), Throws.TypeOf<ArgumentOutOfRangeException>());
        Assert.That(
            () => new VectorPipeEngine(new VectorPipeEngineOptions { DeviceKind = (DeviceKind)9 }),
            Throws.TypeOf<ArgumentOutOfRangeException>());
        Assert.That(
            () => new VectorPipeEngine(new VectorPipeEngineOptions { MaxQueuedQueries = 0 }), Throws.TypeOf<ArgumentOutOfRangeException>());
        Assert.That(
            () => new VectorPipeEngine(new VectorPipeEngineOptions { MemoryLimitBytes = 0 }), Throws.TypeOf<ArgumentOutOfRangeException>());
    }

    [TestCase(1, 3)]
    [TestCase(1, 10, Category = "Heavy")]
    [TestCase(2, 200, Category = "Heavy")]
    public void Indexes_come_and_go_beside_searches_of_others(int seed, int rounds) => Watchdog.Run($"seed {seed}", () =>
    {
        using var engine = new VectorPipeEngine(new VectorPipeEngineOptions { SearchThreads = 2 });
        using VectorIndex stays = Open(engine, DeviceKind.Portable);
        for (int round = 0; round < rounds; round++)
        {
            var random = new Random((seed * 1000) + round);
            VectorIndex[] others = [.. Enumerable.Range(0, 4).Select(_ => Open(engine, DeviceKind.Memory))];
            Task<SearchResult>[] searches =
            [
                .. Enumerable.Range(0, 200).Select(i =>
                    (random.Next(2) == 0 ? stays : others[random.Next(others.Length)]).SearchAsync<byte>(Row(i), 1, All()).AsTask()),
            ];
            Thread.SpinWait(random.Next(20_000));
            foreach (VectorIndex other in others)
                other.Dispose();
            for (int i = 0; i < searches.Length; i++)
                Assert.That(searches[i].GetAwaiter().GetResult()[0].Key, Is.EqualTo((ulong)i), $"seed {seed}, round {round}");
            Assert.That(() => others[0].SearchAsync<byte>(Row(0), 1).AsTask(), Throws.TypeOf<ObjectDisposedException>());
            Assert.That(engine.OpenIndexes, Is.EqualTo(1), $"seed {seed}, round {round}");
        }
    });

    [Test]
    public async Task Collections_share_an_engine_while_they_are_written_to_and_rebuilt()
    {
        const int Collections = 3;
        await using var engine = new VectorPipeEngine(new VectorPipeEngineOptions { SearchThreads = 1 });
        CollectionOptions options = CollectionDirectory.Options with { Open = Options(engine, DeviceKind.Portable) };
        var schema = new CollectionSchema { Dimension = 2, Metric = DistanceMetric.L2 };
        CollectionDirectory[] folders = [.. Enumerable.Range(0, Collections).Select(_ => new CollectionDirectory())];
        VectorCollection<int>[] collections =
            await Task.WhenAll(folders.Select(folder => folder.OpenAsync<int>(options, schema: schema)));
        for (int round = 0; round < 2; round++)
        {
            await Task.WhenAll(collections.Select(async (collection, number) =>
            {
                for (int key = round * 50; key < (round + 1) * 50; key++)
                    await collection.UpsertAsync(key, new float[] { number, key });
                await collection.CompactAsync();
                CollectionResult<int> found = await collection.SearchAsync<float>(new float[] { number, 17 }.AsMemory(), 1);
                Assert.That((found[0].Key, found[0].Score), Is.EqualTo((17, 0)));
            }));
            Assert.That(engine.OpenIndexes, Is.EqualTo(Collections), "one generation each");
        }

        foreach (VectorCollection<int> collection in collections)
            await collection.DisposeAsync();
        Assert.That((engine.OpenIndexes, engine.MemoryBytes), Is.EqualTo((0, 0L)));
        foreach (CollectionDirectory folder in folders)
            folder.Dispose();
    }

    private static SearchOptions All() => new() { Graph = new GraphSearch { ListSize = Count } };

    private static OpenOptions Options(VectorPipeEngine engine, DeviceKind device) =>
        new() { Engine = engine, Device = new DeviceOptions { Kind = device } };

    private VectorIndex Open(VectorPipeEngine engine, DeviceKind device) => VectorIndex.Open(_test.Directory, Options(engine, device));

    /// <summary>Lets lost reads come back, and closes the indexes.</summary>
    private static void End((VectorIndex Index, FaultDevice Device)[] busy, Task<SearchResult>[] searches)
    {
        foreach ((_, FaultDevice device) in busy)
            device.Plan = new FaultPlan { FindsLost = true };
        foreach (Task<SearchResult> search in searches)
            Assert.That(search.GetAwaiter().GetResult()[0].Key, Is.EqualTo(1));
        foreach ((VectorIndex index, _) in busy)
            index.Dispose();
    }

    private (VectorIndex Index, FaultDevice Device) OpenFaulty(VectorPipeEngine engine, int inFlight = 16)
    {
        FaultDevice device = null!;
        VectorIndex index = VectorIndex.Open(
            _test.Directory, Options(engine, DeviceKind.Portable) with { QueriesInFlight = inFlight },
            (paths, options, _) => device = new FaultDevice(DeviceFactory.Open(paths, options, NullLogger.Instance)));
        return (index, device);
    }

    /// <summary>An index whose run threads open their device queues only when the gate is open.</summary>
    private VectorIndex OpenBehind(VectorPipeEngine engine, ManualResetEventSlim gate, int most)
    {
        FaultDevice device = null!;
        VectorIndex index = VectorIndex.Open(
            _test.Directory, Options(engine, default) with { MaxQueuedQueries = most },
            (paths, _, _) => device = new FaultDevice(new SimulatedDevice(paths, seed: 1)));
        device.Plan = new FaultPlan { OnOpen = gate.Wait };
        return index;
    }

    private byte[] Row(int row) => _test.Rows[(row % Count * _test.RowBytes)..(((row % Count) + 1) * _test.RowBytes)];
}
