using NUnit.Framework;
using VectorPipe.Model.Errors;
using VectorPipe.Tests.Api;
using VectorPipe.Tests.Faults.Gets;

namespace VectorPipe.Tests.Faults.RunThreads;

/// <summary>If the device of a run thread fails, every caller gets an error and the thread goes on.</summary>
[TestFixture]
internal sealed class AsyncFaultTests
{
    private const int LookUps = 50;
    private TestIndex _test = null!;

    [OneTimeSetUp]
    public void Build() => _test = GetUnderTest.Build();

    [OneTimeTearDown]
    public void Delete() => _test.Dispose();

    [Test]
    public void An_exception_at_a_step_reaches_every_waiting_caller(
        [Values] FaultStep step, [Values] bool isTyped, [Values(0, 1, 7)] int k) => Run(gets =>
    {
        gets.Device.Plan = FaultPlan.At(step, k, () => throw Made(isTyped));

        // Each read is enqueued by a call of its own. How many one call submits or reaps depends on when they come back: a few rounds may
        // pass before the call that throws.
        int most = step == FaultStep.Enqueue ? LookUps : 20 * LookUps, posted = 0;
        while (gets.Failures == 0 && posted < most)
        {
            gets.PostTogether(LookUps);
            gets.AwaitAll();
            posted += LookUps;
            Assert.That(gets.Answers + gets.Failures, Is.EqualTo(posted));
        }

        Assert.That(gets.Failures, Is.GreaterThan(0));
        gets.AssertWhole();
    });

    [Test]
    public void A_queue_that_cannot_open_is_reported_and_tried_again([Values] bool isTyped) => Run(gets =>
    {
        gets.Device.Plan = new FaultPlan { OnOpen = () => throw Made(isTyped) };
        gets.Post(LookUps);
        gets.AwaitAll();
        Assert.That(gets.Failures, Is.EqualTo(LookUps));
        gets.AssertWhole();
    });

    [Test]
    public void A_device_that_always_throws_fails_every_call_at_once([Values] FaultStep step, [Values] bool isTyped) => Run(gets =>
    {
        FaultPlan plan = new()
        {
            OnEnqueue = _ => step != FaultStep.Enqueue ? true : throw Made(isTyped),
            OnSubmit = _ => Throw(FaultStep.Submit),
            OnReap = _ => Throw(FaultStep.Reap),
        };
        gets.Device.Plan = plan;
        for (int i = 0; i < 5; i++)
        {
            gets.Post(LookUps);
            gets.AwaitAll();
        }

        // A wait for completions submits by itself: if only the submit throws, some look-ups are answered.
        Assert.That(gets.Failures + gets.Answers, Is.EqualTo(5 * LookUps));
        Assert.That(gets.Failures, step == FaultStep.Submit ? Is.GreaterThan(LookUps) : Is.EqualTo(5 * LookUps));
        gets.AssertWhole();

        void Throw(FaultStep here)
        {
            if (here == step)
                throw Made(isTyped);
        }
    });

    [Test]
    public void Lost_reads_come_back_without_another_request() => Run(gets =>
    {
        gets.Device.Plan =
            new FaultPlan { OnRead = (_, _) => new Fault(FaultKind.Delay, 3), OnReap = n => _ = n == 1 ? throw Made(true) : n };
        gets.PostTogether(LookUps);
        gets.AwaitAll();
        Assert.That(gets.Failures, Is.GreaterThan(0));
        gets.AssertSettled();
    });

    [Test]
    public void Reads_that_never_come_back_fail_their_look_ups_and_the_next_are_answered() => Run(gets =>
    {
        gets.Device.Plan = FaultPlan.From(0, new Fault(FaultKind.Lost));
        gets.Post(LookUps);
        gets.AwaitAll();
        Assert.That(gets.Failures, Is.EqualTo(LookUps));
        gets.AssertWhole();
    });

    [Test]
    public void A_queue_that_throws_at_closing_does_not_keep_the_index_open() => Run(gets =>
    {
        gets.Post(1);
        gets.AwaitAll();
        gets.Device.Plan = new FaultPlan { OnClose = static () => throw Made(isTyped: false) };
        gets.Index.Dispose();
        Assert.That(() => gets.Index.GetAsync(0), Throws.TypeOf<ObjectDisposedException>());
        Assert.That(gets.Index.RequestsRented, Is.Zero);
    });

    [Test]
    public void A_search_gets_the_error_and_the_next_is_answered([Values] FaultStep step, [Values] bool isTyped) => Run(gets =>
    {
        gets.Device.Plan = FaultPlan.At(step, 0, () => throw Made(isTyped));
        ReadOnlyMemory<byte> query = _test.Rows.AsMemory(0, _test.RowBytes);
        Assert.That(
            async () => await gets.Index.SearchAsync(query, 1), Throws.TypeOf<DeviceException>().With.Message.Contains("made to fail"));
        SearchResult result = gets.Index.SearchAsync(query, 1, new SearchOptions { Graph = new GraphSearch { ListSize = _test.Count } })
            .AsTask().GetAwaiter().GetResult();
        Assert.That(result[0].Score, Is.Zero);
    });

    private static Exception Made(bool isTyped) =>
        isTyped ? new DeviceException("made to fail", Errno.ENXIO) : new InvalidOperationException("made to fail");

    private void Run(Action<AsyncGets> body)
    {
        AsyncGets? shared = null;
        string name = TestContext.CurrentContext.Test.Name;
        Watchdog.Run(name, () =>
        {
            using AsyncGets gets = shared = new AsyncGets(_test, seed: 5, TimeSpan.FromMilliseconds(60));
            body(gets);
        }, () => $"{name}: {shared?.Describe()}");
    }
}
