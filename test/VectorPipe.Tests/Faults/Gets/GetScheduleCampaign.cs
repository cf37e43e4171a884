using NUnit.Framework;
using VectorPipe.Tests.Api;

namespace VectorPipe.Tests.Faults.Gets;

/// <summary>Look-ups under seeded mixtures of faults, and with reads that never come back.</summary>
[TestFixture(GetKind.Graph)]
[TestFixture(GetKind.Rounded, Category = "Heavy")]
[TestFixture(GetKind.Lists)]
internal sealed class GetScheduleCampaign
{
    private const int Schedules = 400;
    private readonly GetKind _kind;
    private TestIndex _test = null!;

    public GetScheduleCampaign(GetKind kind) => _kind = kind;

    [OneTimeSetUp]
    public void Build() => _test = GetUnderTest.Build(_kind);

    [OneTimeTearDown]
    public void Delete() => _test.Dispose();

    [TestCase(Schedules / 4)]
    [TestCase(Schedules, Category = "Heavy")]
    public void Any_schedule_ends_in_the_right_vectors_or_a_typed_error(int schedules) => Run(schedules, firstSeed: 1);

    [Test]
    [Category("Heavy")]
    public void Any_schedule_of_many_ends_in_the_right_vectors_or_a_typed_error() => Run(50 * Schedules, firstSeed: 100_000);

    [Test]
    [Spread(2)]
    public void Reads_that_never_come_back_are_errors_within_the_time_out([Values(0, 1, 3)] int k, [Values] bool always)
    {
        GetUnderTest? shared = null;
        string name = $"read {k} lost, {(always ? "and all later ones" : "once")}";
        Watchdog.Run(name, () =>
        {
            using GetUnderTest under = shared = new GetUnderTest(_test, k, options: Impatient());
            Fault lost = new(FaultKind.Lost);
            KeyRange keys = new(395, 1);

            // Chains of a few keys are short, so the last read is lost at the latest.
            int failing = (int)Math.Min(k, under.Measure(keys).Reads - 1);
            Exception? error = under.Run(name, keys, always ? FaultPlan.From(failing, lost) : FaultPlan.At(failing, lost));
            Assert.That(error, Is.TypeOf<DeviceException>().With.Property("InnerException").TypeOf<TimeoutException>(), name);
            Find(under);
            under.AssertHealthy(name, new KeyRange(0, 1));
        }, () => $"{name}: {shared?.Session.Reads.DescribeInFlight()}");
    }

    [Test]
    public void After_the_loss_of_every_read_the_next_look_up_fails()
    {
        // Look-ups wait for a free op, and no op becomes free.
        GetUnderTest? shared = null;
        Watchdog.Run("all lost", () =>
        {
            using GetUnderTest under = shared = new GetUnderTest(_test, 1, options: Impatient());
            KeyRange batch = new(0, under.Session.Reads.Capacity);
            FaultPlan plan = FaultPlan.From(0, new Fault(FaultKind.Lost));
            Assert.That(under.Run("all lost", batch, plan), Is.TypeOf<DeviceException>());
            while (under.Session.Reads.Pending > 0)
                under.Session.Reads.Drain(TimeSpan.FromMilliseconds(1));
            Assert.That(
                under.Run("next", new KeyRange(0, 1), new FaultPlan()), Is.TypeOf<DeviceException>().With.Message.Contains("timed out"));
            Find(under);
            under.AssertHealthy("all found", batch);
        }, () => $"all lost: {shared?.Session.Reads.DescribeInFlight()}");
    }

    private void Run(int schedules, int firstSeed)
    {
        KeyRange[] requests =
            [.. GetUnderTest.Singles(40), .. GetUnderTest.Batches(5).Select(batch => batch with { Count = 4 }), .. GetUnderTest.Batches(2)];
        ScheduleTally tally =
            Campaign.RunSchedules(schedules, firstSeed, FaultRates.Mixture, () => new GetUnderTest(_test, firstSeed), requests);
        Assert.That(tally.Answers + tally.Errors, Is.EqualTo(schedules));
        Assert.That(tally.Answers, Is.GreaterThan(schedules / 4));
        Assert.That(tally.Errors, Is.GreaterThan(schedules / 10));
        Assert.That(tally.Strays, Is.GreaterThan(0));
    }

    private static OpenOptions Impatient() =>
        new() { QueriesInFlight = 2, SearchThreads = 1, ReadTimeout = TimeSpan.FromMilliseconds(300) };

    /// <summary>Hands the lost reads back: the pool owns the buffers again.</summary>
    private static void Find(GetUnderTest under)
    {
        under.Device.Queues[0].Find();
        while (under.Session.Reads.Free < under.Session.Reads.Capacity)
            under.Session.Reads.Drain(TimeSpan.FromMilliseconds(1));
    }
}
