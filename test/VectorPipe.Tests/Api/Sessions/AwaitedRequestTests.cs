using System.Threading.Tasks.Sources;
using NUnit.Framework;
using VectorPipe.Searching.Requests;
using VectorPipe.Searching.Serving;
using VectorPipe.Tests.Faults;

namespace VectorPipe.Tests.Api.Sessions;

/// <summary>A request goes back to its pool once, when its result is taken, and never while it is under way.</summary>
[TestFixture]
internal sealed class AwaitedRequestTests
{
    private const int Count = 300;
    private TestIndex _test = null!;

    [OneTimeSetUp]
    public void Build() => _test = TestIndex.Build(count: Count, dimension: 16);

    [OneTimeTearDown]
    public void Delete() => _test.Dispose();

    [Test]
    public void A_search_whose_result_is_read_too_early_keeps_its_request([Values] bool isListenedTo) => Watchdog.Run("search", () =>
    {
        using Heard? heard = isListenedTo ? new Heard("index") : null;
        using var gate = new ManualResetEventSlim();
        using VectorIndex index = OpenBehind(gate);
#pragma warning disable CA2012 // The misuse is the case.
        ValueTask<SearchResult> early = index.SearchAsync<byte>(Row(1), 1, All());
        Assert.That(() => early.Result, Throws.InvalidOperationException.With.Message.Contains("under way"));
        Assert.That(index.RequestsRented, Is.EqualTo(1), "it is under way");
        Task<SearchResult> other = index.SearchAsync<byte>(Row(2), 1, All()).AsTask();
        gate.Set();
        Assert.That(other.GetAwaiter().GetResult()[0], Is.EqualTo(new SearchHit(2, 0)));
        Assert.That(early.AsTask().GetAwaiter().GetResult()[0], Is.EqualTo(new SearchHit(1, 0)), "it can still be awaited");
#pragma warning restore CA2012
        Assert.That(index.RequestsRented, Is.Zero);
    });

    [Test]
    public void A_look_up_whose_record_is_read_too_early_keeps_its_request([Values] bool isListenedTo) => Watchdog.Run("look-up", () =>
    {
        using Heard? heard = isListenedTo ? new Heard("index") : null;
        using var gate = new ManualResetEventSlim();
        using VectorIndex index = OpenBehind(gate);
#pragma warning disable CA2012 // The misuse is the case.
        ValueTask<VectorRecord?> early = index.GetAsync(1);
        Assert.That(() => early.Result, Throws.InvalidOperationException.With.Message.Contains("under way"));
        Assert.That(index.RequestsRented, Is.EqualTo(1), "it is under way");
        Task<VectorRecord?> other = index.GetAsync(2).AsTask();
        gate.Set();
        Assert.That(other.GetAwaiter().GetResult()!.Bytes.ToArray(), Is.EqualTo(Row(2)));
        Assert.That(early.AsTask().GetAwaiter().GetResult()!.Bytes.ToArray(), Is.EqualTo(Row(1)), "it can still be awaited");
#pragma warning restore CA2012
        Assert.That(index.RequestsRented, Is.Zero);
    });

    [Test]
    public void A_result_is_taken_once_and_the_next_use_is_not_touched()
    {
        RequestPool<LookupRequest, ulong> pool = MakePool();
        AwaitedRequest<LookupRequest, ulong> request = pool.Rent();
        short first = TokenOf(request, key: 7);
        request.Execute();
        Assert.That(request.GetResult(first), Is.EqualTo(7));
        Assert.That(() => request.GetResult(first), Throws.InvalidOperationException.With.Message.Contains("taken"));
        Assert.That(pool.Rented, Is.Zero);

        Assert.That(pool.Rent(), Is.SameAs(request));
        short second = TokenOf(request, key: 8);
        request.Execute();
        Assert.That(() => request.GetResult(first), Throws.InvalidOperationException, "the use before");
        Assert.That(pool.Rented, Is.EqualTo(1));
        Assert.That(request.GetResult(second), Is.EqualTo(8));
        Assert.That(pool.Rented, Is.Zero);
    }

    [TestCase(400)]
    [TestCase(1_500, Category = "Heavy")]
    [TestCase(10_000, Category = "Heavy")]
    public void Only_one_of_two_threads_takes_a_result_and_the_request_returns_once(int rounds)
    {
        RequestPool<LookupRequest, ulong> pool = MakePool();
        using var meet = new Barrier(2);
        AwaitedRequest<LookupRequest, ulong> request = null!;
        short token = 0;
        int taken = 0;
        Thread[] threads = [.. Enumerable.Range(0, 2).Select(number => new Thread(() =>
        {
            for (int round = 0; round < rounds; round++)
            {
                if (number == 0)
                {
                    request = pool.Rent();
                    token = TokenOf(request, (ulong)round);
                    request.Execute();
                }

                meet.SignalAndWait();
                try
                {
                    if (request.GetResult(token) == (ulong)round)
                        Interlocked.Increment(ref taken);
                }
                catch (InvalidOperationException)
                {
                    // The other thread has it.
                }

                meet.SignalAndWait();
            }
        }))];
        foreach (Thread thread in threads)
            thread.Start();
        foreach (Thread thread in threads)
            thread.Join();
        Assert.That((taken, pool.Rented), Is.EqualTo((rounds, 0)));
    }

    [Test]
    public void An_idle_request_keeps_nothing_of_the_callers_and_no_large_arrays()
    {
        using var cancellation = new CancellationTokenSource();
        var pool = new RequestPool<SearchRequest, int>(static completion => new SearchRequest(completion), static request => request.K);
        foreach (int k in (int[])[SearchRequest.MostHitsKept, 100_000])
        {
            AwaitedRequest<SearchRequest, int> request = pool.Rent();
            var plan = new ExactPlan(k, k) { Trace = new SearchTrace() };
            request.Request.Ask(new byte[100], plan, 0, cancellation.Token);
            request.Request.Destination = new SearchHit[5];
            short token = request.Token;
            request.Request.Fail(new DeviceException("no answer"));
            SpinWait.SpinUntil(() => request.GetStatus(token) != ValueTaskSourceStatus.Pending);
            Assert.That(() => request.GetResult(token), Throws.TypeOf<DeviceException>());
            using (Assert.EnterMultipleScope())
            {
                Assert.That(request.Request.CancellationToken, Is.EqualTo(CancellationToken.None));
                Assert.That((request.Request.Trace, request.Request.Error, request.Request.Destination.Length),
                    Is.EqualTo(((SearchTrace?)null, (Exception?)null, 0)));
                Assert.That(request.Request.Hits, Has.Length.EqualTo(k == SearchRequest.MostHitsKept ? k : 0),
                    "arrays of the usual size stay");
                Assert.That(pool.Rented, Is.Zero);
            }
        }
    }

    private static RequestPool<LookupRequest, ulong> MakePool() =>
        new(static completion => new LookupRequest(completion), static request => request.Key);

    private static short TokenOf(AwaitedRequest<LookupRequest, ulong> request, ulong key)
    {
        request.Request.Ask(key, withLinks: false, acceptedAt: 0, CancellationToken.None);
        return request.Token;
    }

    private static SearchOptions All() => new() { Graph = new GraphSearch { ListSize = Count } };

    private byte[] Row(int row) => _test.Rows[(row * _test.RowBytes)..((row + 1) * _test.RowBytes)];

    /// <summary>An index whose run thread opens its device queue only when the gate is open.</summary>
    private VectorIndex OpenBehind(ManualResetEventSlim gate)
    {
        FaultDevice device = null!;
        VectorIndex index = VectorIndex.Open(
            _test.Directory, new OpenOptions { SearchThreads = 1 }, (paths, _, _) => device =
                new FaultDevice(new SimulatedDevice(paths, seed: 1)));
        device.Plan = new FaultPlan { OnOpen = gate.Wait };
        return index;
    }
}
