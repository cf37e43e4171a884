using Microsoft.Extensions.Logging.Abstractions;
using NUnit.Framework;
using VectorPipe.Devices.Choosing;
using VectorPipe.Model;
using VectorPipe.Model.Errors;
using VectorPipe.Model.Open;
using VectorPipe.Searching.Requests;
using VectorPipe.Searching.Serving;
using VectorPipe.Tests.Api;

namespace VectorPipe.Tests.Faults.RunThreads;

/// <summary>If one of several rings breaks, its requests fail, others are served, and a new ring replaces it.</summary>
[TestFixture]
[Platform("Linux")]
internal sealed class FaultedRingTests
{
    private const int Count = 400;
    private const int Searches = 1000;
    private const int QueriesInFlight = 4;
    private const int TooManyFiles = 24;

    // Ring 0 is the probe of the device, when the index is opened; the run threads open theirs with the first requests.
    private const int FirstOfRunThreads = 1;

    private TestIndex _test = null!;
    private byte[] _nodes = null!;

    [OneTimeSetUp]
    public void Build()
    {
        _test = TestIndex.Build(count: Count, dimension: 16, layout: IndexLayout.Plain);
        _nodes = File.ReadAllBytes(_test.NodeFile);
    }

    [OneTimeTearDown]
    public void Delete() => _test.Dispose();

    [Test]
    [Spread(2)]
    public void A_broken_ring_fails_its_requests_in_flight_and_is_replaced([Values(1, 2)] int threads) => Watchdog.Run("break", () =>
    {
        using var kernel = new SimulatedRings(_nodes);
        kernel.OnRing = static (number, ring) =>
        {
            int enters = 0;
            if (number == FirstOfRunThreads)
                ring.OnEnter = _ => enters++ == 5 ? -Errno.ENOMEM : null;
        };
        using VectorIndex index = Open(kernel, threads);
        int failures = SearchAll(index);
        Assert.That(failures, Is.InRange(1, QueriesInFlight));
        Assert.That(SearchAll(index), Is.Zero, "the next searches");
        Assert.That(kernel.SetUps, Is.EqualTo(FirstOfRunThreads + threads + 1), "one ring more");
        Assert.That(SpinWait.SpinUntil(() => index.Lanes.Sum(thread => thread.Load) == 0, HangBound.Patience), Is.True);
        Assert.That((index.RequestsRented, index.RequestsQueued), Is.EqualTo((0, 0)));
    });

    [Test]
    public void A_ring_that_breaks_again_and_again_is_replaced_every_time() => Watchdog.Run("again", () =>
    {
        using var kernel = new SimulatedRings(_nodes);
        kernel.OnRing = static (number, ring) =>
        {
            int enters = 0;
            if (number is >= FirstOfRunThreads and < FirstOfRunThreads + 5)
                ring.OnEnter = _ => enters++ == 3 ? -Errno.EBADF : null;
        };
        using VectorIndex index = Open(kernel, threads: 1);
        int failures = SearchAll(index);
        Assert.That(failures, Is.InRange(5, 5 * QueriesInFlight));
        Assert.That(kernel.SetUps, Is.EqualTo(FirstOfRunThreads + 6));
    });

    [Test]
    public void A_thread_without_a_ring_fails_no_request_while_another_has_one() => Watchdog.Run("no ring", () =>
    {
        using var kernel = new SimulatedRings(_nodes);
        int owner = 0;
        kernel.OnRing = (number, ring) =>
        {
            // The first run thread has a ring; the other one never has.
            if (number < FirstOfRunThreads)
                return;
            Interlocked.CompareExchange(ref owner, Environment.CurrentManagedThreadId, 0);
            if (owner != Environment.CurrentManagedThreadId)
                ring.OnSetup = static _ => TooManyFiles;
        };
        using VectorIndex index = Open(kernel, threads: 2);
        for (int round = 0; round < 3; round++)
            Assert.That(SearchAll(index), Is.Zero, $"round {round}");
    });

    [Test]
    public void A_thread_that_backs_off_takes_no_load() => Watchdog.Run("back-off", () =>
    {
        using var kernel = new SimulatedRings(_nodes);
        int owner = 0, refusals = 0;
        kernel.OnRing = (number, ring) =>
        {
            if (number < FirstOfRunThreads)
                return;
            Interlocked.CompareExchange(ref owner, Environment.CurrentManagedThreadId, 0);
            if (owner == Environment.CurrentManagedThreadId)
                return;
            refusals++;
            ring.OnSetup = static _ => TooManyFiles;
        };
        using VectorIndex index = Open(kernel, threads: 1);

        // The clock stands still: a back-off never ends.
        var options = new SearchLanesOptions { Threads = 2, QueriesInFlight = QueriesInFlight, NowMs = static () => 0 };
        using var workers = new SearchLanes(index.Contents, options, NullLogger.Instance);
        var completion = new CountingCompletion();
        for (int search = 0; search < Searches; search++)
        {
            workers.Post(Make(index, completion, search));
            if (search % 10 == 0)
                completion.WaitFor(search + 1);
        }

        completion.WaitFor(Searches);
        Assert.That((completion.Failures, refusals), Is.EqualTo((0, 1)), "one attempt, and no other");

        // A request may have chosen the thread just before it backed off: it moves on, without another attempt.
        SearchLane refused = workers.Lanes.Single(worker => !worker.IsReady);
        Assert.That(refused.TryPost(Make(index, completion, Searches)), Is.True);
        completion.WaitFor(Searches + 1);
        Assert.That((completion.Failures, refusals), Is.EqualTo((0, 1)), "a late request");
    });

    [Test]
    public void Without_any_ring_requests_end_with_the_error() => Watchdog.Run("none", () =>
    {
        using var kernel = new SimulatedRings(_nodes);
        using VectorIndex index = Open(kernel, threads: 2);
        kernel.OnRing = static (_, ring) => ring.OnSetup = static _ => TooManyFiles;
        Assert.That(index.DeviceError, Is.Null);
        Assert.That(SearchAll(index, searches: 20), Is.EqualTo(20));
        Assert.That(index.DeviceError!.ErrorNumber, Is.EqualTo(TooManyFiles));
        kernel.OnRing = static (_, _) => { };
        Assert.That(SearchAll(index), Is.Zero, "a ring can open again");
        Assert.That(SpinWait.SpinUntil(() => index.DeviceError is null, HangBound.Patience), Is.True);
    });

    private VectorIndex Open(SimulatedRings kernel, int threads)
    {
        var options = new OpenOptions
        {
            QueriesInFlight = QueriesInFlight,
            SearchThreads = threads,
            Device =
            new DeviceOptions { Kind = DeviceKind.Uring }
        };
        return VectorIndex.Open(_test.Directory, options, (paths, device, _) =>
            DeviceFactory.Open(paths, device, NullLogger.Instance, kernel));
    }

    private SearchRequest Make(VectorIndex index, IRequestCompletion completion, int search)
    {
        var request = new SearchRequest(completion);
        request.Ask(
            Row(search % Count),
            new SearchPlanner(index.Contents).Plan(1, new SearchOptions { Graph = new GraphSearch { ListSize = 40 } }),
            acceptedAt: 0,
            CancellationToken.None);
        return request;
    }

    private byte[] Row(int row) => _test.Rows[(row * _test.RowBytes)..((row + 1) * _test.RowBytes)];

    /// <summary>Searches for rows of the index, all at once.</summary>
    /// <returns>Searches that failed; the others have found their rows.</returns>
    private int SearchAll(VectorIndex index, int searches = Searches)
    {
        Task<SearchResult>[] tasks =
            [.. Enumerable.Range(0, searches).Select(search =>
                index.SearchAsync<byte>(Row(search % Count), 1, new SearchOptions { Graph = new GraphSearch { ListSize = Count } })
                .AsTask())];
        int failures = 0;
        foreach (Task<SearchResult> task in tasks)
        {
            try
            {
                Assert.That(task.GetAwaiter().GetResult()[0].Score, Is.Zero);
            }
            catch (DeviceException)
            {
                failures++;
            }
        }

        return failures;
    }
}
