using NUnit.Framework;
using VectorPipe.Model.Errors;
using VectorPipe.Tests.Api;

namespace VectorPipe.Tests.Faults.Searches;

/// <summary>Searches of lists are interrupted at every step, and their reads fail in every way.</summary>
[TestFixture(0, Category = "Heavy")]
[TestFixture(8)]
internal sealed class ListSearchCampaign
{
    private const int Seed = 83;
    private const int Queries = 8;
    private const int FailingQueries = 200;
    private const int Schedules = 400;
    private readonly int _codeBytes;
    private TestIndex _test = null!;

    public ListSearchCampaign(int codeBytes) => _codeBytes = codeBytes;

    private static IEnumerable<SearchCase> Searches => Enumerable.Range(0, Queries).Select(query => new SearchCase(query, SearchMode.Beam));

    [OneTimeSetUp]
    public void Build() => _test = TestIndex.BuildLists(count: 600, dimension: 16, lists: 20, codeBytes: _codeBytes);

    [OneTimeTearDown]
    public void Delete() => _test.Dispose();

    [Test]
    public void Cancellation_at_any_step_ends_the_query_or_is_too_late([Values] FaultStep step)
    {
        (int cases, int cancelled) = Campaign.CancelAtEveryStep(step, Open, Searches);
        Assert.That(cases, Is.GreaterThanOrEqualTo(Queries));
        Assert.That(cancelled, Is.GreaterThan(0));
    }

    [Test]
    public void The_caller_receives_an_exception_of_any_step_and_the_session_goes_on([Values] FaultStep step, [Values] bool isTyped)
    {
        Exception thrown = isTyped ? new DeviceException("made to fail", Errno.ENXIO) : new InvalidOperationException("made to fail");
        Assert.That(Campaign.ThrowAtEveryStep(step, thrown, Open, Searches), Is.GreaterThanOrEqualTo(Queries));
    }

    [Test]
    public void Refusals_at_any_step_are_tried_again() =>
        Campaign.ForEveryStep(FaultStep.Enqueue, Open, Searches, (under, search, k, name) =>
    {
        if (under.Run(name, search, new FaultPlan { OnEnqueue = n => n < k || n > k + 3 }) is { } error)
            Assert.Fail($"{name}: {error}");
    });

    [TestCase(5)]
    [TestCase(1, Category = "Heavy")]
    public void Disposal_after_any_turn_answers_the_queries_and_returns_all_resources(int oneIn)
    {
        int cases = Campaign.DisposeAfterEveryTurn(turns => new SearchUnderTest(_test, Queries, Seed + turns), Searches, oneIn);
        Assert.That(cases, Is.GreaterThan(Queries / oneIn));
    }

    [Test]
    public void A_damaged_page_at_any_read_never_gives_a_wrong_neighbour()
    {
        int cases = 0;
        ForEveryRead(40, (under, search, k, name) =>
        {
            Exception? error = under.Run(name, search, FaultPlan.At(k, new Fault(FaultKind.Corrupt, 4711 + (cases++ * 997))));
            if (error is not IndexCorruptException)
                Assert.Fail($"{name}: expected a corrupt page, found {error?.ToString() ?? "an answer"}");
        });
        Assert.That(cases, Is.GreaterThanOrEqualTo(Queries));
    }

    [Test]
    public void A_transient_fault_at_any_read_changes_no_answer([Values(Errno.EINTR, Errno.EAGAIN, 0)] int errno) =>
        ForEveryRead(Queries, (under, search, k, name) =>
    {
        // No errno: the read is short and does not end at a sector.
        Fault fault = errno == 0 ? new Fault(FaultKind.Short, 1000) : new Fault(FaultKind.Errno, errno);
        if (under.Run(name, search, FaultPlan.At(k, fault)) is { } error)
            Assert.Fail($"{name}: {error}");
    });

    [Test]
    public void A_disk_that_fails_at_any_read_is_an_error_with_its_errno([Values] bool always)
    {
        int cases = ForEveryRead(FailingQueries, (under, search, k, name) =>
        {
            Fault fault = new(FaultKind.Errno, Errno.EIO);
            if (
                under.Run(
                    name, search,
                    always ? FaultPlan.From(k, fault) : FaultPlan.At(k, fault)) is not DeviceException { ErrorNumber: Errno.EIO })
                Assert.Fail($"{name}: expected EIO");
        });
        Assert.That(cases, Is.GreaterThanOrEqualTo(FailingQueries));
    }

    [TestCase(Schedules / 4)]
    [TestCase(Schedules, Category = "Heavy")]
    public void Any_schedule_ends_in_the_right_answer_or_a_typed_error(int schedules) => Run(schedules, firstSeed: 1);

    [Test]
    [Category("Heavy")]
    public void Any_schedule_of_many_ends_in_the_right_answer_or_a_typed_error() => Run(50 * Schedules, firstSeed: 100_000);

    private void Run(int schedules, int firstSeed)
    {
        SearchCase[] searches = [.. Enumerable.Range(0, 3 * Queries).Select(i => new SearchCase(i % Queries, SearchMode.Beam))];
        ScheduleTally tally =
            Campaign.RunSchedules(schedules, firstSeed, FaultRates.Mixture, () => new SearchUnderTest(_test, Queries, firstSeed), searches);
        Assert.That(tally.Answers + tally.Errors, Is.EqualTo(schedules));
        Assert.That(tally.Answers, Is.GreaterThan(schedules / 4));
    }

    private SearchUnderTest Open() => new(_test, Queries, Seed);

    private int ForEveryRead(int queries, Action<SessionUnderTest<SearchCase>, SearchCase, int, string> run) => Campaign.ForEveryRead(
        () =>
        new SearchUnderTest(_test, queries, Seed), Enumerable.Range(0, queries)
        .Select(query => new SearchCase(query, SearchMode.Beam)), run);
}
