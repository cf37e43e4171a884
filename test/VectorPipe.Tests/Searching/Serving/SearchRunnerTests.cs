using System.Diagnostics;
using Microsoft.Extensions.Logging.Abstractions;
using NUnit.Framework;
using VectorPipe.Devices.Choosing;
using VectorPipe.Model.Open;
using VectorPipe.Searching.Requests;
using VectorPipe.Searching.Serving;
using VectorPipe.Tests.Api;

namespace VectorPipe.Tests.Searching.Serving;

/// <summary>A turn of a run thread waits once, and visits only requests that can be cancelled.</summary>
[TestFixture]
internal sealed class SearchRunnerTests
{
    private TestIndex _test = null!;

    [OneTimeSetUp]
    public void Build() => _test = TestIndex.Build(count: 2000, dimension: 16);

    [OneTimeTearDown]
    public void Delete() => _test.Dispose();

    [TestCase(true, false)]
    [TestCase(false, true)]
    [TestCase(true, true)]
    public void A_turn_waits_once_while_nothing_lands(bool hasWalk, bool hasScan)
    {
        const int turns = 20;
        HookedDevice device = null!;
        using VectorIndex index = VectorIndex.Open(_test.Directory, new OpenOptions(), (paths, _, _) =>
            device = new HookedDevice(DeviceFactory.Open(paths, new DeviceOptions { Kind = DeviceKind.Memory }, NullLogger.Instance)));
        using var runner = new SearchRunner(index.Contents, 2);
        var completion = new RecordingCompletion();
        int waits = 0;
        device.Hold = static (_, _) => true;
        device.OnReap = waitFor => waits += waitFor > 0 ? 1 : 0;
        if (hasWalk)
            runner.Accept(Make(index, completion, new SearchOptions()));
        if (hasScan)
            runner.Accept(Make(index, completion, new SearchOptions { Mode = SearchMode.Exact }));
        runner.Turn();
        waits = 0;
        for (int turn = 0; turn < turns; turn++)
            runner.Turn();
        Assert.That((waits, completion.Count), Is.EqualTo((turns, 0)), "a turn that does not wait wastes the processor");
    }

    [Test]
    public void A_time_that_ends_while_reads_are_in_flight_ends_the_search([Values] SearchMode mode)
    {
        HookedDevice device = null!;
        using VectorIndex index = VectorIndex.Open(_test.Directory, new OpenOptions { ExactUpTo = 0 }, (paths, _, _) =>
            device = new HookedDevice(DeviceFactory.Open(paths, new DeviceOptions { Kind = DeviceKind.Memory }, NullLogger.Instance)));
        using var runner = new SearchRunner(index.Contents, 1);
        var completion = new RecordingCompletion();
        device.Hold = static (_, _) => true;
        var options = new SearchOptions { Mode = mode, Deadline = TimeSpan.FromMilliseconds(20) };

        // The second waits for the only place until its time is over.
        runner.Accept(Make(index, completion, options, Stopwatch.GetTimestamp()));
        runner.Accept(Make(index, completion, options with { Deadline = TimeSpan.FromMilliseconds(1) }, Stopwatch.GetTimestamp()));
        while (runner.Unfinished > 0)
            runner.Turn();
        var ended = completion.Ended.Cast<SearchRequest>().ToList();
        Assert.That(ended.Select(request => request.Error), Is.All.Null);
        Assert.That(
            ended.Select(request => (request.Statistics.EndedBy, request.Statistics.Hits)), Is.All.EqualTo((SearchEnd.Deadline, 0)));

        // Its reads land, and the next search does not take them for its own.
        device.ReleaseHeld();
        device.Hold = static (_, _) => false;
        runner.Accept(Make(index, completion, new SearchOptions { Mode = mode }, Stopwatch.GetTimestamp()));
        while (runner.Unfinished > 0)
            runner.Turn();
        Assert.That(((SearchRequest)completion.Ended.Last()).Statistics.EndedBy, Is.EqualTo(SearchEnd.Complete));
    }

    [Test]
    public void Waiting_requests_that_cannot_be_cancelled_are_not_visited([Values(SearchMode.Pipelined, SearchMode.Exact)] SearchMode mode)
    {
        using VectorIndex index = _test.Open(DeviceKind.Memory);
        var waiting = new WaitingRequests();
        using var runner = new SearchRunner(index.Contents, 4, waiting: waiting);
        var completion = new RecordingCompletion();
        for (int i = 0; i < 2000; i++)
            runner.Accept(Make(index, completion, new SearchOptions { Mode = mode }));
        while (runner.Unfinished > 0)
            runner.Turn();
        Assert.That((completion.Count, waiting.Visited), Is.EqualTo((2000, 0L)));
        Assert.That(completion.Ended.Select(request => request.Error), Is.All.Null);
    }

    private SearchRequest Make(VectorIndex index, IRequestCompletion completion, SearchOptions options, long acceptedAt = 0)
    {
        var request = new SearchRequest(completion);
        request.Ask(
            _test.Rows.AsSpan(0, _test.RowBytes), new SearchPlanner(index.Contents).Plan(5, options), acceptedAt,
            CancellationToken.None);
        return request;
    }
}
