using System.Runtime.InteropServices;
using NUnit.Framework;
using VectorPipe.Model.Errors;
using VectorPipe.Tests.Faults;

namespace VectorPipe.Tests.Api.Sessions;

/// <summary>An index refuses requests beyond a limit, and batches wait for room.</summary>
[TestFixture]
internal sealed class OverloadTests
{
    private const int Count = 300;
    private const int InFlight = 2;
    private TestIndex _test = null!;

    [OneTimeSetUp]
    public void Build() => _test = TestIndex.Build(count: Count, dimension: 16);

    [OneTimeTearDown]
    public void Delete() => _test.Dispose();

    [TestCase(10_000)]
    [TestCase(100_000, Category = "Heavy")]
    public void Requests_beyond_the_limit_are_refused_and_waiting_ones_are_answered(int refusals) => Watchdog.Run("limit", () =>
    {
        const int limit = 50;
        using var gate = new ManualResetEventSlim();
        using VectorIndex index = OpenBehind(gate, limit);
        List<Task<SearchResult>> searches = [];
        List<Task<VectorRecord?>> lookups = [];
        for (int i = 0; i < limit / 2; i++)
        {
            searches.Add(index.SearchAsync<byte>(Row(i), 1, All()).AsTask());
            lookups.Add(index.GetAsync((ulong)i).AsTask());
        }

        for (int i = 0; i < refusals; i++)
        {
            SearchOverloadedException? error =
                Assert.Throws<SearchOverloadedException>(() => _ = index.SearchAsync<byte>(Row(0), 1).AsTask());
            if (i > 0)
                continue;
            Assert.That((error!.Limit, error.Queued), Is.EqualTo((limit, limit)));
            Assert.That(error.Message, Does.Contain($"{limit}").And.Contain(nameof(OpenOptions.MaxQueuedQueries)).And.Contain("Ask again"));
        }

        Assert.That(() => index.GetAsync(1).AsTask(), Throws.TypeOf<SearchOverloadedException>());
        Assert.That((index.RequestsRented, index.RequestsQueued), Is.EqualTo((limit, limit)));
        gate.Set();
        for (int i = 0; i < limit / 2; i++)
        {
            Assert.That(searches[i].GetAwaiter().GetResult()[0].Key, Is.EqualTo((ulong)i));
            Assert.That(lookups[i].GetAwaiter().GetResult()!.Key, Is.EqualTo((ulong)i));
        }

        Assert.That(index.SearchAsync<byte>(Row(9), 1, All()).AsTask().GetAwaiter().GetResult()[0].Key,
            Is.EqualTo(9), "there is room again");
        Assert.That((index.RequestsRented, index.RequestsQueued), Is.EqualTo((0, 0)));
    });

    [Test]
    public void A_large_batch_leaves_room_for_a_single_search() => Watchdog.Run("batch", () =>
    {
        const int rows = 3000, window = 2 * InFlight;
        using var gate = new ManualResetEventSlim();
        using VectorIndex index = OpenBehind(gate, limit: 10);
        Task<SearchResult[]> batch = index.SearchBatchAsync<byte>(Rows(rows), 1, All());
        Assert.That(index.RequestsRented, Is.EqualTo(window), "the others have not begun");
        Task<SearchResult> single = index.SearchAsync<byte>(Row(5), 1, All()).AsTask();
        Assert.That(index.RequestsQueued, Is.EqualTo(window + 1), "it waits only for these");
        gate.Set();
        Assert.That(single.GetAwaiter().GetResult()[0].Key, Is.EqualTo(5));
        Assert.That(batch.GetAwaiter().GetResult().Select(result => result[0].Key),
            Is.EqualTo(Enumerable.Range(0, rows).Select(row => (ulong)(row % Count))));
        Assert.That(index.RequestsRented, Is.Zero);
    });

    [Test]
    public void A_batch_that_is_refused_rows_goes_on_with_those_in_flight() => Watchdog.Run("narrow", () =>
    {
        using var gate = new ManualResetEventSlim();
        using VectorIndex index = OpenBehind(gate, limit: 2);
        Task<SearchResult> other = index.SearchAsync<byte>(Row(7), 1, All()).AsTask();
        Task<SearchResult[]> batch = index.SearchBatchAsync<byte>(Rows(500), 1, All());
        Task<SearchResult[]> refused = index.SearchBatchAsync<byte>(Rows(5), 1, All());
        Assert.That(() => refused.GetAwaiter().GetResult(),
            Throws.TypeOf<SearchOverloadedException>(), "there is room for none of its rows");
        gate.Set();
        Assert.That(other.GetAwaiter().GetResult()[0].Key, Is.EqualTo(7));
        Assert.That(batch.GetAwaiter().GetResult(), Has.Length.EqualTo(500));
        Assert.That((index.RequestsRented, index.RequestsQueued), Is.EqualTo((0, 0)));
    });

    [Test]
    public void The_first_error_ends_a_batch_and_nothing_stays_under_way() => Watchdog.Run("error", () =>
    {
        using VectorIndex index = OpenBehind(null, limit: 100, out FaultDevice device);
        using var cancellation = new CancellationTokenSource();
        device.Plan = FaultPlan.At(40, new Fault(FaultKind.Errno, Errno.EIO));
        Assert.That(() => index.SearchBatchAsync<byte>(Rows(3000), 1, All()).GetAwaiter().GetResult(), Throws.TypeOf<DeviceException>());
        Assert.That(device.Plan.Reads, Is.LessThan(3000), "later rows do not begin");
        Assert.That((index.RequestsRented, index.RequestsQueued), Is.EqualTo((0, 0)));

        cancellation.Cancel();
        Task<SearchResult[]> cancelled = index.SearchBatchAsync<byte>(Rows(3000), 1, All(), cancellation.Token);
        Assert.That(() => cancelled.GetAwaiter().GetResult(), Throws.InstanceOf<OperationCanceledException>());
        Assert.That((cancelled.IsCanceled, index.RequestsRented), Is.EqualTo((true, 0)));
    });

    [Test]
    public void A_batch_whose_index_is_disposed_ends() => Watchdog.Run("disposed", () =>
    {
        using var gate = new ManualResetEventSlim();
        VectorIndex index = OpenBehind(gate, limit: 100);
        Task<SearchResult[]> batch = index.SearchBatchAsync<byte>(Rows(3000), 1, All());
        Task disposal = index.DisposeAsync().AsTask();
        Assert.That(SpinWait.SpinUntil(() => Refuses(index), HangBound.Patience), Is.True);
        gate.Set();
        disposal.GetAwaiter().GetResult();
        Assert.That(() => batch.GetAwaiter().GetResult(), Throws.TypeOf<ObjectDisposedException>());
        Assert.That(index.RequestsRented, Is.Zero);
    });

    [Test]
    public void An_empty_batch_has_an_empty_answer()
    {
        using VectorIndex index = _test.Open(DeviceKind.Memory);
        Assert.That(index.SearchBatchAsync<byte>(Array.Empty<byte>(), 3).GetAwaiter().GetResult(), Is.Empty);
    }

    [Test]
    [Category("Heavy")]
    public void A_batch_of_more_than_2_GiB_is_read_row_by_row()
    {
        // Only the last of these pages is ever written: the others take no memory.
        const long bytes = (2L << 30) + (1 << 20);
        using TestIndex test = TestIndex.Build(type: VectorElementType.Float32, count: 200, dimension: 16);
        using VectorIndex index = test.Open(DeviceKind.Memory);
        using SearchSession session = index.OpenSession();
        float[] queries = new float[bytes / sizeof(float)];
        queries[^1] = float.NaN;
        long last = (queries.Length / 16) - 1;
        InvalidVectorException? error =
            Assert.Throws<InvalidVectorException>(() => _ = index.SearchBatchAsync<float>(queries.AsMemory(), 1));
        Assert.That(error!.Row, Is.EqualTo(last));
        error = Assert.Throws<InvalidVectorException>(() => session.SearchMany<float>(queries, 1, new SearchHit[1], []));
        Assert.That(error!.Row, Is.EqualTo(last));
        Assert.That(
            () => session.TryGetMany<float>(new ulong[queries.Length / 16], queries, new bool[1]),
                Throws.TypeOf<ArgumentException>().With.Message.Contains("flags"));
        Assert.That(MemoryMarshal.GetArrayDataReference(queries), Is.Zero);
    }

    [Test]
    public void Exact_searches_share_a_scan_on_one_thread_up_to_a_limit() => Watchdog.Run("scan", () =>
    {
        using var gate = new ManualResetEventSlim();
        using VectorIndex index = OpenBehind(gate, limit: 100, out _, threads: 3, inFlight: 8);
        Task<SearchResult>[] scans = [.. Enumerable.Range(0, 6).Select(row =>
            index.SearchAsync<byte>(Row(row), 1, new SearchOptions { Mode = SearchMode.Exact }).AsTask())];
        Assert.That(index.Lanes.Select(thread => thread.Scans), Is.EquivalentTo((int[])[4, 2, 0]));
        Assert.That(index.Lanes.Select(thread => thread.Load),
            Is.EquivalentTo((int[])[12, 10, 0]), "a scan weighs as much as a full set of queries");
        Task<SearchResult>[] searches = [.. Enumerable.Range(0, 10).Select(row => index.SearchAsync<byte>(Row(row), 1, All()).AsTask())];
        Assert.That(index.Lanes.Single(thread => thread.Scans == 0).Load, Is.EqualTo(10), "searches go to the thread without a scan");
        gate.Set();
        for (int row = 0; row < scans.Length; row++)
            Assert.That(scans[row].GetAwaiter().GetResult()[0].Key, Is.EqualTo((ulong)row));
        foreach (Task<SearchResult> search in searches)
            search.GetAwaiter().GetResult();
        Assert.That(SpinWait.SpinUntil(() => index.Lanes.All(thread => thread is { Load: 0, Scans: 0 }), HangBound.Patience),
            Is.True);
    });

    private static bool Refuses(VectorIndex index)
    {
        try
        {
            _ = index.SearchBatchAsync<byte>(Array.Empty<byte>(), 1);
            return false;
        }
        catch (ObjectDisposedException)
        {
            return true;
        }
    }

    private static SearchOptions All() => new() { Graph = new GraphSearch { ListSize = Count } };

    private byte[] Row(int row) => _test.Rows[(row * _test.RowBytes)..((row + 1) * _test.RowBytes)];

    private byte[] Rows(int count) => [.. Enumerable.Range(0, count).SelectMany(row => Row(row % Count))];

    private VectorIndex OpenBehind(ManualResetEventSlim? gate, int limit) => OpenBehind(gate, limit, out _);

    /// <summary>An index whose run threads open their device queues only when the gate is open.</summary>
    private VectorIndex OpenBehind(ManualResetEventSlim? gate, int limit, out FaultDevice device, int threads = 1, int inFlight = InFlight)
    {
        FaultDevice opened = null!;
        var options = new OpenOptions { SearchThreads = threads, QueriesInFlight = inFlight, MaxQueuedQueries = limit };
        VectorIndex index =
            VectorIndex.Open(_test.Directory, options, (paths, _, _) => opened = new FaultDevice(new SimulatedDevice(paths, seed: 1)));
        if (gate is not null)
            opened.Plan = new FaultPlan { OnOpen = gate.Wait };
        device = opened;
        return index;
    }
}
