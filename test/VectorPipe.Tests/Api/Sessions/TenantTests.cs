using NUnit.Framework;
using VectorPipe.Tests.Collections;
using VectorPipe.Tests.Faults;

namespace VectorPipe.Tests.Api.Sessions;

/// <summary>Parts of an engine: limits of their own beside those of the engine, counts, and the end.</summary>
[TestFixture]
internal sealed class TenantTests
{
    private const int Count = 300;
    private TestIndex _test = null!;

    [OneTimeSetUp]
    public void Build() => _test = TestIndex.Build(count: Count, dimension: 16);

    [OneTimeTearDown]
    public void Delete() => _test.Dispose();

    [Test]
    public void A_request_counts_against_index_tenant_and_engine_and_the_error_names_the_limit() => Watchdog.Run("limits", () =>
    {
        using var gate = new ManualResetEventSlim();
        using var engine = new VectorPipeEngine(new VectorPipeEngineOptions { SearchThreads = 1, MaxQueuedQueries = 30 });
        using VectorPipeEngine acme = engine.CreateTenant(new VectorPipeTenantOptions { Name = "acme", MaxQueuedQueries = 20 });
        using VectorPipeEngine other = engine.CreateTenant();
        using VectorIndex first = OpenBehind(acme, gate, most: 15), second = OpenBehind(acme, gate, most: 15);
        using VectorIndex third = OpenBehind(other, gate, most: 15);
        List<Task<SearchResult>> accepted = [];
        Accept(first, 15);
        AssertRefused(first, 15, "(OpenOptions.MaxQueuedQueries)");
        Accept(second, 5);
        AssertRefused(second, 20, "(VectorPipeTenantOptions.MaxQueuedQueries of \"acme\")");
        Accept(third, 10);
        AssertRefused(third, 30, "(VectorPipeEngineOptions.MaxQueuedQueries)");
        AssertQueued(20, 10);
        gate.Set();
        for (int i = 0; i < accepted.Count; i++)
            Assert.That(accepted[i].GetAwaiter().GetResult()[0].Key, Is.EqualTo((ulong)i));
        AssertQueued(0, 0);

        void Accept(VectorIndex index, int requests)
        {
            for (int i = 0; i < requests; i++)
                accepted.Add(index.SearchAsync<byte>(Row(accepted.Count), 1, All()).AsTask());
        }

        void AssertRefused(VectorIndex index, int limit, string name)
        {
            var error = Assert.Throws<SearchOverloadedException>(() => _ = index.SearchAsync<byte>(Row(0), 1, All()).AsTask());
            Assert.That((error!.Limit, error.Queued), Is.EqualTo((limit, limit)), "nothing was counted of what was refused");
            Assert.That(error.Message, Does.Contain(name));
        }

        void AssertQueued(int ofAcme, int ofOther) => Assert.That(
            (acme.QueuedQueries, other.QueuedQueries, engine.QueuedQueries), Is.EqualTo((ofAcme, ofOther, ofAcme + ofOther)));
    });

    [Test]
    public void Memory_counts_at_both_or_at_none()
    {
        long bytes = VectorIndex.Inspect(_test.Directory).MemoryBytes;
        using var engine = new VectorPipeEngine(new VectorPipeEngineOptions { MemoryLimitBytes = 3 * bytes });
        using VectorPipeEngine acme =
            engine.CreateTenant(new VectorPipeTenantOptions { Name = "acme", MemoryLimitBytes = (2 * bytes) - 1 });
        using VectorPipeEngine other = engine.CreateTenant();
        using VectorIndex first = Open(acme);
        Assert.That(
            () => Open(acme), Throws.TypeOf<MemoryLimitException>()
                .With.Message.Contains("tenant \"acme\" (VectorPipeTenantOptions.MemoryLimitBytes)"));
        using VectorIndex second = Open(other), third = Open(engine);
        AssertCounts();
        Assert.That(
            () => Open(other), Throws.TypeOf<MemoryLimitException>()
                .With.Message.Contains("of the engine (VectorPipeEngineOptions.MemoryLimitBytes)"));
        Assert.That(
            () => VectorIndex.Open(_test.Directory, Options(other), (_, _, _) => throw new DeviceException("made to fail")),
            Throws.InstanceOf<VectorPipeException>());
        AssertCounts();
        second.Dispose();
        Assert.That((other.OpenIndexes, other.MemoryBytes, engine.OpenIndexes, engine.MemoryBytes), Is.EqualTo((0, 0L, 2, 2 * bytes)));

        void AssertCounts() => Assert.That(
            new[] { acme, other, engine }.Select(part => (part.OpenIndexes, part.MemoryBytes)),
            Is.EqualTo(new[] { (1, bytes), (1, bytes), (3, 3 * bytes) }));
    }

    [Test]
    public void Tenants_end_after_their_indexes_and_an_engine_after_those_of_its_tenants()
    {
        var engine = new VectorPipeEngine(new VectorPipeEngineOptions { SearchThreads = 1 });
        VectorPipeEngine ended = engine.CreateTenant(new VectorPipeTenantOptions { Name = "acme" }), late = engine.CreateTenant();
        using (VectorIndex index = Open(ended))
        {
            Assert.That(Search(index, 3), Is.EqualTo(3));
            Assert.That(ended.Dispose, Throws.InvalidOperationException.With.Message.EndsWith("before the tenant, found 1 open."));
            Assert.That(engine.Dispose, Throws.InvalidOperationException.With.Message.EndsWith("before the engine, found 1 open."));
            Assert.That(Search(index, 4), Is.EqualTo(4), "nothing has ended");
        }

        ended.Dispose();
        ended.Dispose();
        Assert.That(() => Open(ended), Throws.TypeOf<ObjectDisposedException>());
        using (VectorIndex index = Open(late))
            Assert.That(Search(index, 5), Is.EqualTo(5), "the threads are those of the engine");
        engine.Dispose();
        Assert.That(() => Open(late), Throws.TypeOf<ObjectDisposedException>());
        Assert.That(() => engine.CreateTenant(), Throws.TypeOf<ObjectDisposedException>());
        late.Dispose();
    }

    [Test]
    public void A_tenant_has_the_threads_and_the_device_of_its_engine_and_no_tenants()
    {
        using var engine = new VectorPipeEngine(new VectorPipeEngineOptions { SearchThreads = 2, DeviceKind = DeviceKind.Portable });
        var limits = new VectorPipeTenantOptions { MaxQueuedQueries = 7, MemoryLimitBytes = 1 << 30 };
        using VectorPipeEngine tenant = engine.CreateTenant(limits);
        Assert.That(tenant.Options, Is.EqualTo(engine.Options with { MaxQueuedQueries = 7, MemoryLimitBytes = 1 << 30 }));
        using VectorIndex index = Open(tenant);
        Assert.That(Search(index, 1), Is.EqualTo(1));
        Assert.That((index.DeviceName, index.Lanes.Count), Is.EqualTo(("portable", 2)));
        Assert.That(() => tenant.CreateTenant(), Throws.InvalidOperationException.With.Message.Contains("found a tenant"));
        Assert.That(
            () => engine.CreateTenant(new VectorPipeTenantOptions { MaxQueuedQueries = 0 }), Throws.TypeOf<ArgumentOutOfRangeException>());
        Assert.That(
            () => engine.CreateTenant(new VectorPipeTenantOptions { MemoryLimitBytes = 0 }), Throws.TypeOf<ArgumentOutOfRangeException>());
    }

    [TestCase(1, 3)]
    [TestCase(2, 100, Category = "Heavy")]
    public void Indexes_of_tenants_come_and_go_beside_searches_of_others(int seed, int rounds) => Watchdog.Run($"seed {seed}", () =>
    {
        const int Callers = 4;
        using var engine = new VectorPipeEngine(new VectorPipeEngineOptions { SearchThreads = 2 });
        VectorPipeEngine[] parts = [engine, .. Enumerable.Range(0, 2).Select(_ => engine.CreateTenant())];
        Task[] callers =
        [
            .. Enumerable.Range(0, Callers).Select(caller => Task.Run(() =>
            {
                var random = new Random((seed * Callers) + caller);
                for (int round = 0; round < rounds; round++)
                {
                    VectorIndex[] indexes = [.. Enumerable.Range(0, 4).Select(_ => Open(parts[random.Next(parts.Length)]))];
                    Task<SearchResult>[] searches =
                        [.. Enumerable.Range(0, 100).Select(i => indexes[random.Next(4)].SearchAsync<byte>(Row(i), 1, All()).AsTask())];
                    Thread.SpinWait(random.Next(20_000));
                    foreach (VectorIndex index in indexes)
                        index.Dispose();
                    for (int i = 0; i < searches.Length; i++)
                        Assert.That(searches[i].GetAwaiter().GetResult()[0].Key, Is.EqualTo((ulong)i), $"seed {seed}, round {round}");
                }
            })),
        ];
        Task.WhenAll(callers).GetAwaiter().GetResult();
        Assert.That(
            parts.Select(part => (part.OpenIndexes, part.MemoryBytes, part.QueuedQueries)), Is.All.EqualTo((0, 0L, 0)), $"seed {seed}");
        foreach (VectorPipeEngine tenant in parts[1..])
            tenant.Dispose();
    });

    [Test]
    public async Task Collections_share_a_tenant_while_they_are_written_to_and_rebuilt()
    {
        await using var engine = new VectorPipeEngine(new VectorPipeEngineOptions { SearchThreads = 1 });
        await using VectorPipeEngine tenant = engine.CreateTenant();
        CollectionOptions options = CollectionDirectory.Options with { Open = Options(tenant) };
        var schema = new CollectionSchema { Dimension = 2, Metric = DistanceMetric.L2 };
        using var left = new CollectionDirectory();
        using var right = new CollectionDirectory();
        await using (VectorCollection<int> one = await left.OpenAsync<int>(options, schema: schema))
        await using (VectorCollection<int> two = await right.OpenAsync<int>(options, schema: schema))
        {
            foreach (VectorCollection<int> collection in new[] { one, two })
            {
                for (int key = 0; key < 50; key++)
                    await collection.UpsertAsync(key, new float[] { 1, key });
                await collection.CompactAsync();
                CollectionResult<int> found = await collection.SearchAsync<float>(new float[] { 1, 17 }.AsMemory(), 1);
                Assert.That((found[0].Key, found[0].Score), Is.EqualTo((17, 0)));
            }

            Assert.That((tenant.OpenIndexes, engine.OpenIndexes), Is.EqualTo((2, 2)));
            Assert.That(tenant.MemoryBytes, Is.EqualTo(engine.MemoryBytes).And.Positive);
        }

        Assert.That((tenant.OpenIndexes, tenant.MemoryBytes, engine.MemoryBytes), Is.EqualTo((0, 0L, 0L)));
    }

    private static SearchOptions All() => new() { Graph = new GraphSearch { ListSize = Count } };

    private static OpenOptions Options(VectorPipeEngine engine) => new() { Engine = engine };

    private VectorIndex Open(VectorPipeEngine engine) => VectorIndex.Open(_test.Directory, Options(engine));

    private ulong Search(VectorIndex index, int row) =>
        index.SearchAsync<byte>(Row(row), 1, All()).AsTask().GetAwaiter().GetResult()[0].Key;

    /// <summary>An index whose run threads open their device queues only when the gate is open.</summary>
    private VectorIndex OpenBehind(VectorPipeEngine engine, ManualResetEventSlim gate, int most)
    {
        FaultDevice device = null!;
        VectorIndex index = VectorIndex.Open(
            _test.Directory, Options(engine) with { MaxQueuedQueries = most },
            (paths, _, _) => device = new FaultDevice(new SimulatedDevice(paths, seed: 1)));
        device.Plan = new FaultPlan { OnOpen = gate.Wait };
        return index;
    }

    private byte[] Row(int row) => _test.Rows[(row % Count * _test.RowBytes)..(((row % Count) + 1) * _test.RowBytes)];
}
