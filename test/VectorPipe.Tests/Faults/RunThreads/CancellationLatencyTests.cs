using System.Diagnostics;
using NUnit.Framework;
using VectorPipe.Searching.Serving;
using VectorPipe.Tests.Api;
using VectorPipe.Tests.Faults.Gets;

namespace VectorPipe.Tests.Faults.RunThreads;

/// <summary>A cancelled request does not wait for the device, for an op or slot, or for other requests.</summary>
[TestFixture]
[Alone]
internal sealed class CancellationLatencyTests
{
    private static readonly TimeSpan _never = TimeSpan.FromHours(1);
    private TestIndex _test = null!;

    [OneTimeSetUp]
    public void Build() => _test = GetUnderTest.Build();

    [OneTimeTearDown]
    public void Delete() => _test.Dispose();

    [Test]
    public void A_look_up_that_waits_for_an_op_ends_when_it_is_cancelled() => Watchdog.Run("look-up", () =>
    {
        using AsyncGets gets = new(_test, seed: 3, _never);
        gets.Device.Plan = FaultPlan.From(0, new Fault(FaultKind.Lost));
        using CancellationTokenSource others = new();
        using CancellationTokenSource mine = new();
        gets.Post(32, others.Token);
        Task<VectorRecord?> last = gets.Index.GetAsync(1, withLinks: false, mine.Token).AsTask();
        Assert.That(SpinWait.SpinUntil(() => gets.Index.RunThreadReads is [{ Free: 0 }], HangBound.Patience), Is.True, "every op is taken");
        AssertEnds(last, mine);
        Assert.That(gets.Index.RequestsRented, Is.EqualTo(32), "the others still wait");
        others.Cancel();
        gets.AwaitAll();
    });

    [Test]
    public void A_search_that_waits_for_a_slot_ends_when_it_is_cancelled([Values(SearchMode.Pipelined, SearchMode.Beam)] SearchMode mode) =>
        Watchdog.Run("search", () =>
    {
        using AsyncGets gets = new(_test, seed: 3, _never);
        gets.Device.Plan = FaultPlan.From(0, new Fault(FaultKind.Lost));
        using CancellationTokenSource others = new();
        using CancellationTokenSource mine = new();
        SearchOptions options = new() { Mode = mode };
        ReadOnlyMemory<byte> query = _test.Rows.AsMemory(0, _test.RowBytes);
        Task<SearchResult>[] first =
            [.. Enumerable.Range(0, 2).Select(_ => gets.Index.SearchAsync(query, 1, options, others.Token).AsTask())];
        Task<SearchResult> last = gets.Index.SearchAsync(query, 1, options, mine.Token).AsTask();
        AssertEnds(last, mine);
        Assert.That(first.Count(task => task.IsCompleted), Is.Zero, "the others still wait");
        others.Cancel();
        foreach (Task<SearchResult> task in first)
            Assert.That(() => task.GetAwaiter().GetResult(), Throws.InstanceOf<OperationCanceledException>());
    });

    [Test]
    public void A_look_up_with_a_read_in_flight_ends_while_others_keep_the_thread_busy() => Watchdog.Run("busy", () =>
    {
        using GetUnderTest under =
            new(_test, seed: 3, options: new OpenOptions { QueriesInFlight = 2, SearchThreads = 1, ReadTimeout = _never });
        using CancellationTokenSource cancellation = new();
        LookupRequestProbe lost = new() { Expected = null };
        lost.Lookup.Ask(1, withLinks: false, Stopwatch.GetTimestamp(), cancellation.Token);
        under.Device.Plan = FaultPlan.At(0, new Fault(FaultKind.Lost));
        using SearchRunner runner = new(under.Session.Index, 2);
        runner.Accept(lost.Request);
        int turns = 0;
        long start = 0;
        while (lost.Completions == 0)
        {
            // One more look-up a turn: the simulated disk never lets a turn pass without a completion.
            foreach (IRequestProbe probe in under.Probe(new KeyRange(turns % _test.Count, 1)))
                runner.Accept(probe.Request);
            runner.Turn();
            if (turns++ == 100)
            {
                cancellation.Cancel();
                start = Stopwatch.GetTimestamp();
            }
        }

        TestContext.Out.WriteLine($"{Stopwatch.GetElapsedTime(start).TotalMilliseconds:F1} ms after the cancellation, turn {turns}");
        Assert.That(lost.Request.Error, Is.InstanceOf<OperationCanceledException>());
    });

    private static void AssertEnds<T>(Task<T> task, CancellationTokenSource cancellation)
    {
        long start = Stopwatch.GetTimestamp();
        cancellation.Cancel();
        Assert.That(() => task.WaitAsync(HangBound.Patience).GetAwaiter().GetResult(), Throws.InstanceOf<OperationCanceledException>());
        TestContext.Out.WriteLine($"{Stopwatch.GetElapsedTime(start).TotalMilliseconds:F1} ms after the cancellation");
    }
}
