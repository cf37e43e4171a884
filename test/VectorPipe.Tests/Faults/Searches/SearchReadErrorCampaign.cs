using NUnit.Framework;
using VectorPipe.Model;
using VectorPipe.Model.Errors;
using VectorPipe.Reference.Searching;
using VectorPipe.Tests.Api;

namespace VectorPipe.Tests.Faults.Searches;

/// <summary>If any read of a search fails, the answer is right or a typed error, and the session goes on.</summary>
[TestFixture(SearchPolicy.List, 400, 16, CodeKind.Opq)]
[TestFixture(SearchPolicy.Gain, 1000, 400, CodeKind.Pq)]
[TestFixture(SearchPolicy.Gain, 1000, 400, CodeKind.Opq, Category = "Heavy")]
internal sealed class SearchReadErrorCampaign
{
    private const int Seed = 41;
    private readonly SearchPolicy _policy;
    private readonly int _count;
    private readonly int _dimension;
    private readonly CodeKind _code;
    private TestIndex _test = null!;

    public SearchReadErrorCampaign(SearchPolicy policy, int count, int dimension, CodeKind code) =>
        (_policy, _count, _dimension, _code) = (policy, count, dimension, code);

    [OneTimeSetUp]
    public void Build() => _test = TestIndex.Build(count: _count, dimension: _dimension, code: _code);

    [OneTimeTearDown]
    public void Delete() => _test.Dispose();

    [TestCase(false, 50)]
    [TestCase(true, 50)]
    [TestCase(false, 200, Category = "Heavy")]
    [TestCase(true, 200, Category = "Heavy")]
    public void An_input_output_error_at_any_read_is_an_error_with_its_errno_or_changes_nothing(bool always, int queries)
    {
        foreach (SearchMode mode in SearchUnderTest.ModesOfOneAnswer(_policy))
        {
            int cases = 0;
            int failed = 0;
            ForEveryRead(queries, mode, (under, search, k, name) =>
            {
                Fault fault = new(FaultKind.Errno, Errno.EIO);
                Exception? error = under.Run(name, search, always ? FaultPlan.From(k, fault) : FaultPlan.At(k, fault));
                if (error is not null and not DeviceException { ErrorNumber: Errno.EIO })
                    Assert.Fail($"{name}: expected EIO, found {error}");
                if (mode == SearchMode.Beam && error is null)
                    Assert.Fail($"{name}: a beam search waits for every read, yet it reported no error");
                failed += error is null ? 0 : 1;
                cases++;
            });
            TestContext.Out.WriteLine($"{mode}: {cases} cases, {failed} errors");
            Assert.That(cases, Is.GreaterThanOrEqualTo(2 * queries), $"{mode}");
            Assert.That(failed, Is.GreaterThan(cases / 2), $"{mode}");
        }
    }

    [TestCase(FaultKind.Zero, 0)]
    [TestCase(FaultKind.Corrupt, 4711)]
    public void A_missing_or_damaged_page_at_any_read_never_gives_a_wrong_neighbour(FaultKind kind, int value)
    {
        int cases = 0;
        ForEveryRead(40, SearchMode.Beam, (under, search, k, name) =>
        {
            Exception? error = under.Run(name, search, FaultPlan.At(k, new Fault(kind, value + (cases++ * 997))));
            Type expected = kind == FaultKind.Corrupt ? typeof(IndexCorruptException) : typeof(DeviceException);
            if (error?.GetType() != expected)
                Assert.Fail($"{name}: expected {expected.Name}, found {error?.ToString() ?? "an answer"}");
        });
        Assert.That(cases, Is.GreaterThanOrEqualTo(100));
    }

    [Test]
    [Spread(3)]
    public void A_transient_fault_at_any_read_changes_no_answer([Values(Errno.EINTR, Errno.EAGAIN, 0)] int errno)
    {
        foreach (SearchMode mode in SearchUnderTest.ModesOfOneAnswer(_policy))
        {
            int cases = 0;
            ForEveryRead(10, mode, (under, search, k, name) =>
            {
                // No errno: the read is short and ends within a sector.
                Fault fault = errno == 0 ? new Fault(FaultKind.Short, 1000) : new Fault(FaultKind.Errno, errno);
                if (under.Run(name, search, FaultPlan.At(k, fault)) is { } error)
                    Assert.Fail($"{name}: {error}");
                cases++;
            });
            Assert.That(cases, Is.GreaterThanOrEqualTo(30), $"{mode}");
        }
    }

    [Test]
    public void A_failing_disk_is_read_a_bounded_number_of_times([Values(Errno.EIO, Errno.EAGAIN)] int errno)
    {
        using SearchUnderTest under = new(_test, 1, Seed) { Policy = _policy };
        FaultPlan plan = FaultPlan.From(0, new Fault(FaultKind.Errno, errno));
        Assert.That(under.Run("all", new SearchCase(0, SearchMode.Beam), plan), Is.TypeOf<DeviceException>());
        int attempts = errno == Errno.EIO ? 1 : 4;
        Assert.That(
            plan.Reads, Is.InRange(attempts, 4 * attempts), "The pages of one beam are read: once, or as often as a request may be tried.");
        under.AssertHealthy("all", new SearchCase(0, SearchMode.Beam));
    }

    private int ForEveryRead(int queries, SearchMode mode, Action<SessionUnderTest<SearchCase>, SearchCase, int, string> run) =>
        Campaign.ForEveryRead(
            () => new SearchUnderTest(_test, queries, Seed) { Policy = _policy },
            Enumerable.Range(0, queries).Select(query => new SearchCase(query, mode)), run);
}
