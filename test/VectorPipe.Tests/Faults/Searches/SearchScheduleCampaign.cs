using NUnit.Framework;
using VectorPipe.Model;
using VectorPipe.Model.Errors;
using VectorPipe.Reference.Searching;
using VectorPipe.Tests.Api;

namespace VectorPipe.Tests.Faults.Searches;

/// <summary>Searches under seeded mixtures of faults end in the right answer or a typed error.</summary>
[TestFixture(SearchPolicy.List, 400, 16, CodeKind.Opq)]
[TestFixture(SearchPolicy.Gain, 1000, 400, CodeKind.Pq)]
[TestFixture(SearchPolicy.Gain, 1000, 400, CodeKind.Opq, Category = "Heavy")]
internal sealed class SearchScheduleCampaign
{
    private const int Schedules = 400;
    private const int Queries = 20;
    private readonly SearchPolicy _policy;
    private readonly int _count;
    private readonly int _dimension;
    private readonly CodeKind _code;
    private TestIndex _test = null!;

    public SearchScheduleCampaign(SearchPolicy policy, int count, int dimension, CodeKind code) =>
        (_policy, _count, _dimension, _code) = (policy, count, dimension, code);

    [OneTimeSetUp]
    public void Build() => _test = TestIndex.Build(count: _count, dimension: _dimension, code: _code);

    [OneTimeTearDown]
    public void Delete() => _test.Dispose();

    [TestCase(Schedules / 4)]
    [TestCase(Schedules, Category = "Heavy")]
    public void Any_schedule_ends_in_the_right_answer_or_a_typed_error(int schedules) => Run(schedules, firstSeed: 1);

    [Test]
    [Category("Heavy")]
    public void Any_schedule_of_many_ends_in_the_right_answer_or_a_typed_error() => Run(50 * Schedules, firstSeed: 100_000);

    [Test]
    [Spread(2)]
    public void Reads_that_never_come_back_are_errors_within_the_time_out(
        [Values(0, 1, 3)] int k, [Values] bool always, [Values(SearchMode.Pipelined, SearchMode.Beam)] SearchMode mode)
    {
        SearchUnderTest? shared = null;
        string name = $"read {k} lost, {(always ? "and all later ones" : "once")}, {mode}";
        Watchdog.Run(name, () =>
        {
            OpenOptions options = new() { QueriesInFlight = 2, SearchThreads = 1, ReadTimeout = TimeSpan.FromMilliseconds(300) };
            using SearchUnderTest under = shared = new SearchUnderTest(_test, Queries, k, options: options) { Policy = _policy };
            Fault lost = new(FaultKind.Lost);
            Exception? error = under.Run(name, new SearchCase(0, mode), always ? FaultPlan.From(k, lost) : FaultPlan.At(k, lost));
            if (mode == SearchMode.Beam || error is not null)
                Assert.That(error, Is.TypeOf<DeviceException>().With.Property("InnerException").TypeOf<TimeoutException>(), name);

            // The lost reads are handed back: the pool owns the buffers again.
            under.Device.Queues[0].Find();
            while (under.Session.Reads.Free < under.Session.Reads.Capacity)
                under.Session.Reads.Drain(TimeSpan.FromMilliseconds(1));
            under.AssertHealthy(name, new SearchCase(1, mode));
        }, () => $"{name}: {shared?.Session.Reads.DescribeInFlight()}");
    }

    [Test]
    public void An_index_whose_cache_cannot_be_read_fails_to_open()
    {
        // The second level is wider than the session: without a time-out, filling the cache would wait for ever for a free op.
        using TestIndex wide = TestIndex.Build(count: 800, dimension: 512, code: CodeKind.Pq);
        foreach (FaultKind kind in new[] { FaultKind.Errno, FaultKind.Zero, FaultKind.Corrupt, FaultKind.Lost })
        {
            Watchdog.Run($"cache, {kind}", () => Assert.That(
                () =>
                VectorIndex.Open(
                    wide.Directory, new OpenOptions { CacheBytes = 1 << 18, ReadTimeout = TimeSpan.FromMilliseconds(200) }, (paths, _, _) =>
                    new FaultDevice(new SimulatedDevice(paths, 1)) { Plan = FaultPlan.From(40, new Fault(kind, Errno.EIO)) }),
                Throws.InstanceOf<VectorPipeException>()));
        }
    }

    private void Run(int schedules, int firstSeed)
    {
        SearchCase[] searches = [
            .. Enumerable.Range(0, 3 * Queries)
            .Select(i => new SearchCase(i % Queries, i % 3 == 0 ? SearchMode.Beam : SearchMode.Pipelined))];
        ScheduleTally tally = Campaign.RunSchedules(
            schedules, firstSeed, FaultRates.Mixture, () => new SearchUnderTest(_test, Queries, firstSeed) { Policy = _policy }, searches);
        Assert.That(tally.Answers + tally.Errors, Is.EqualTo(schedules));
        Assert.That(tally.Answers, Is.GreaterThan(schedules / 4));
        Assert.That(tally.Errors, Is.GreaterThan(schedules / 10));
        Assert.That(tally.Strays, Is.GreaterThan(0));
    }
}
