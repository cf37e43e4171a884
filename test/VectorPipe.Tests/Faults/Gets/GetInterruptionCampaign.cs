using NUnit.Framework;
using VectorPipe.Model.Errors;
using VectorPipe.Tests.Api;

namespace VectorPipe.Tests.Faults.Gets;

/// <summary>A look-up is cancelled, disposed of, or hit by an exception at every step, with reads in flight.</summary>
[TestFixture(GetKind.Graph)]
[TestFixture(GetKind.Rounded, Category = "Heavy")]
[TestFixture(GetKind.Lists)]
internal sealed class GetInterruptionCampaign
{
    private const int Seed = 79;
    private const int LookUps = 24;
    private readonly GetKind _kind;
    private TestIndex _test = null!;

    public GetInterruptionCampaign(GetKind kind) => _kind = kind;

    [OneTimeSetUp]
    public void Build() => _test = GetUnderTest.Build(_kind);

    [OneTimeTearDown]
    public void Delete() => _test.Dispose();

    [Test]
    [Spread]
    public void Cancellation_at_any_step_ends_the_look_up_or_is_too_late([Values] FaultStep step, [Values] bool isAsync)
    {
        (int cases, int cancelled) =
            Campaign.CancelAtEveryStep(step, () => new GetUnderTest(_test, Seed, isAsync), GetUnderTest.Singles(LookUps));
        Assert.That(cases, Is.GreaterThanOrEqualTo(LookUps));
        Assert.That(cancelled, Is.GreaterThan(cases / 3));
    }

    [Test]
    [Spread(3)]
    public void Cancellation_at_any_step_of_a_batch_ends_the_batch_and_lets_the_next_one_run([Values] FaultStep step)
    {
        (int cases, int cancelled) = Campaign.CancelAtEveryStep(step, Open, GetUnderTest.Batches(1));
        Assert.That(cases, Is.GreaterThanOrEqualTo(2));
        Assert.That(cancelled, Is.GreaterThan(cases / 3));
    }

    [Test]
    [Spread]
    public void The_caller_receives_an_exception_of_any_step_and_the_session_goes_on([Values] FaultStep step, [Values] bool isTyped)
    {
        Exception thrown = isTyped ? new DeviceException("made to fail", Errno.ENXIO) : new InvalidOperationException("made to fail");
        Assert.That(Campaign.ThrowAtEveryStep(step, thrown, Open, GetUnderTest.Singles(LookUps)), Is.GreaterThanOrEqualTo(LookUps));
    }

    [Test]
    [Spread(3)]
    public void A_batch_that_fails_at_any_step_leaves_nothing_for_the_next_batch([Values] FaultStep step, [Values] bool isTyped)
    {
        // Look-ups of a failed batch must not write their vectors into the rows of the next one. The next batch must also drain the ops of
        // ended look-ups, or it waits for ever.
        Exception thrown = isTyped ? new DeviceException("made to fail", Errno.ENXIO) : new InvalidOperationException("made to fail");
        Assert.That(Campaign.ThrowAtEveryStep(step, thrown, Open, GetUnderTest.Batches(1)), Is.GreaterThanOrEqualTo(2));
    }

    [TestCase(5)]
    [TestCase(1, Category = "Heavy")]
    public void Disposal_after_any_turn_answers_the_look_ups_and_returns_all_resources(int oneIn)
    {
        IEnumerable<KeyRange> requests = [.. GetUnderTest.Singles(8), .. GetUnderTest.Batches(2)];
        int cases = Campaign.DisposeAfterEveryTurn(turns => new GetUnderTest(_test, Seed + turns), requests, oneIn);
        Assert.That(cases, Is.GreaterThan(20 / oneIn));
    }

    [Test]
    public void A_look_up_from_another_thread_is_refused_and_the_session_goes_on()
    {
        using GetUnderTest under = Open();
        Assert.That(under.Run("owner", new KeyRange(0, 1), new FaultPlan()), Is.Null);
        Exception? stranger = null;
        Thread thread = new(() =>
        {
            try
            {
                under.Run("stranger", new KeyRange(1, 1), new FaultPlan());
            }
            catch (InvalidOperationException e)
            {
                stranger = e;
            }
        });
        thread.Start();
        Assert.That(thread.Join(TimeSpan.FromSeconds(60)), Is.True, "The other thread hangs.");
        Assert.That(stranger?.Message, Does.Contain("thread"));
        under.AssertHealthy("after the other thread", new KeyRange(380, 40));
    }

    private GetUnderTest Open() => new(_test, Seed);
}
