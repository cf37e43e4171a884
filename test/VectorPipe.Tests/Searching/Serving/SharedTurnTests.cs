using Microsoft.Extensions.Logging.Abstractions;
using NUnit.Framework;
using VectorPipe.Searching.Requests;
using VectorPipe.Searching.Serving;
using VectorPipe.Tests.Api;
using VectorPipe.Tests.Faults;

namespace VectorPipe.Tests.Searching.Serving;

/// <summary>Indexes that share a run thread take turns on it, however many requests one of them has.</summary>
[TestFixture]
internal sealed class SharedTurnTests
{
    private const int Count = 300;
    private const int Flood = 2000;
    private const int Quiet = 20;

    private TestIndex _test = null!;

    [OneTimeSetUp]
    public void Build() => _test = TestIndex.Build(count: Count, dimension: 16);

    [OneTimeTearDown]
    public void Delete() => _test.Dispose();

    [Test]
    public void A_flood_of_requests_for_one_index_does_not_hold_up_those_of_another() => Watchdog.Run("flood", () =>
    {
        using VectorIndex flooded = _test.Open(DeviceKind.Memory);
        using VectorIndex quiet = _test.Open(DeviceKind.Memory);
        Thread? thread = null;
        using var threads = new RunThreads(1, Flood + Quiet, made => thread = made);
        var options = new SearchLanesOptions { QueriesInFlight = 16 };
        using var floodedLanes = new SearchLanes(flooded.Contents, options, NullLogger.Instance, threads);
        using var quietLanes = new SearchLanes(quiet.Contents, options, NullLogger.Instance, threads);
        var order = new CompletionOrder();

        // The thread starts when all requests wait, those of the flood before the others.
        SearchRequest[] floods = [.. Enumerable.Range(0, Flood).Select(row => Post(flooded, floodedLanes, order, row))];
        SearchRequest[] quiets = [.. Enumerable.Range(0, Quiet).Select(row => Post(quiet, quietLanes, order, row))];
        thread!.Start();
        PendingRequest[] ended = order.WaitFor(Flood + Quiet);

        Assert.That(ended.Select(request => request.Error), Is.All.Null);
        for (int row = 0; row < Quiet; row++)
            Assert.That(quiets[row].Hits[0].Key, Is.EqualTo((ulong)row));
        int last = Array.FindLastIndex(ended, request => Array.IndexOf(quiets, request) >= 0);
        int before = ended.Take(last).Count(request => Array.IndexOf(quiets, request) < 0);
        TestContext.Out.WriteLine($"{before} of {floods.Length} requests of the flood ended before the last of the {Quiet} others");
        Assert.That(before, Is.LessThan(Flood / 10), "requests of the flood that ended before all others had");
    });

    /// <param name="busy">Busy indexes of the tenant beside one with a single one: fewer than a thread has runners, or more.</param>
    /// <param name="inFlight">Queries in flight of an index.</param>
    [TestCase(6, 16)]
    [TestCase(50, 16)]
    [TestCase(50, 1, Category = "Heavy")]
    public void A_tenant_with_many_busy_indexes_gets_no_more_than_one_with_a_single_busy_index(int busy, int inFlight) =>
        Watchdog.Run("tenants", () =>
        {
            const int Single = 400, Many = 4 * Single;
            using VectorIndex index = _test.Open(DeviceKind.Memory);
            Thread? thread = null;
            using var threads = new RunThreads(1, int.MaxValue, made => thread = made);
            using var many = new RunThreads(threads, int.MaxValue, name: null);
            using var single = new RunThreads(threads, int.MaxValue, name: null);
            var options = new SearchLanesOptions { QueriesInFlight = inFlight };
            SearchLanes[] lanes = [.. Enumerable.Range(0, busy).Select(_ => Lanes(many))];
            using SearchLanes other = Lanes(single);
            var order = new CompletionOrder();

            // The thread starts when all requests wait.
            var floods = new HashSet<PendingRequest>(Enumerable.Range(0, Many).Select(row => Post(index, lanes[row % busy], order, row)));
            SearchRequest[] quiets = [.. Enumerable.Range(0, Single).Select(row => Post(index, other, order, row))];
            thread!.Start();
            PendingRequest[] ended = order.WaitFor(floods.Count + Single);

            Assert.That(ended.Select(request => request.Error), Is.All.Null);
            int last = Array.IndexOf(ended, Array.FindLast(ended, request => !floods.Contains(request)));
            int before = ended.Take(last).Count(floods.Contains);
            int first = ended.Take(last).TakeWhile(floods.Contains).Count();
            TestContext.Out.WriteLine(
                $"{before} of {floods.Count} of {busy} indexes ended before the last of {quiets.Length}, {first} before the first");
            Assert.That(before, Is.InRange(Single / 2, Single * 3 / 2), "as many requests of each of the two tenants");
            foreach (SearchLanes one in lanes)
                one.Dispose();

            SearchLanes Lanes(RunThreads tenant) => new(index.Contents, options, NullLogger.Instance, tenant);
        });

    private SearchRequest Post(VectorIndex index, SearchLanes lanes, IRequestCompletion completion, int row)
    {
        var request = new SearchRequest(completion);
        int at = row % Count * _test.RowBytes;
        var walk = new SearchOptions { Graph = new GraphSearch { ListSize = Count } };
        request.Ask(
            _test.Rows.AsSpan(at, _test.RowBytes), new SearchPlanner(index.Contents).Plan(1, walk), acceptedAt: 0, CancellationToken.None);
        lanes.Post(request);
        return request;
    }

    /// <summary>Keeps the requests in the order in which they ended.</summary>
    private sealed class CompletionOrder : IRequestCompletion
    {
        private readonly object _lock = new();
        private readonly List<PendingRequest> _ended = [];

        public void OnCompleted(PendingRequest request)
        {
            lock (_lock)
            {
                _ended.Add(request);
                Monitor.PulseAll(_lock);
            }
        }

        public PendingRequest[] WaitFor(int count)
        {
            lock (_lock)
            {
                while (_ended.Count < count)
                    Monitor.Wait(_lock);
                return [.. _ended];
            }
        }
    }
}
