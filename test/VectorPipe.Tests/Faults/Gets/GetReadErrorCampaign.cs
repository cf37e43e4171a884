using NUnit.Framework;
using VectorPipe.Model.Errors;
using VectorPipe.Tests.Api;

namespace VectorPipe.Tests.Faults.Gets;

/// <summary>Any read of a look-up fails, in the key directory or the node file, once or for good.</summary>
[TestFixture(GetKind.Graph)]
[TestFixture(GetKind.Rounded)]
[TestFixture(GetKind.Lists)]
internal sealed class GetReadErrorCampaign
{
    private const int Seed = 43;
    private const int LookUps = 40;
    private const int ManyLookUps = 200;
    private const int Damaged = 60;
    private readonly GetKind _kind;
    private TestIndex _test = null!;

    public GetReadErrorCampaign(GetKind kind) => _kind = kind;

    [OneTimeSetUp]
    public void Build() => _test = GetUnderTest.Build(_kind);

    [OneTimeTearDown]
    public void Delete() => _test.Dispose();

    [TestCase(false, true, LookUps)]
    [TestCase(true, false, LookUps)]
    [TestCase(false, false, ManyLookUps, Category = "Heavy")]
    [TestCase(false, true, ManyLookUps, Category = "Heavy")]
    [TestCase(true, false, ManyLookUps, Category = "Heavy")]
    [TestCase(true, true, ManyLookUps, Category = "Heavy")]
    public void An_input_output_error_at_any_read_is_an_error_with_its_errno(bool always, bool isAsync, int lookUps)
    {
        int cases =
            Campaign.ForEveryRead(() => new GetUnderTest(_test, Seed, isAsync), GetUnderTest.Singles(lookUps), (under, keys, k, name) =>
        {
            Fault fault = new(FaultKind.Errno, Errno.EIO);
            Exception? error = under.Run(name, keys, always ? FaultPlan.From(k, fault) : FaultPlan.At(k, fault));
            if (error is not DeviceException { ErrorNumber: Errno.EIO } || !error.Message.Contains(".vp, page ", StringComparison.Ordinal))
                Assert.Fail($"{name}: expected EIO with file and page, found {error?.ToString() ?? "an answer"}");
        });
        Assert.That(cases, Is.GreaterThanOrEqualTo(lookUps * 9 / 10 * 2), "at least two reads for each existing key");
    }

    [TestCase(false, 5)]
    [TestCase(true, 5)]
    [TestCase(false, 1, Category = "Heavy")]
    [TestCase(true, 1, Category = "Heavy")]
    public void An_input_output_error_at_any_read_fails_only_its_batch(bool always, int oneIn)
    {
        int cases = Campaign.ForEveryRead(() => new GetUnderTest(_test, Seed), GetUnderTest.Batches(2), (under, keys, k, name) =>
        {
            Fault fault = new(FaultKind.Errno, Errno.EIO);
            if (
                under.Run(
                    name, keys,
                    always ? FaultPlan.From(k, fault) : FaultPlan.At(k, fault)) is not DeviceException { ErrorNumber: Errno.EIO } error)
                Assert.Fail($"{name}: expected EIO, found another outcome");
            if (k / oneIn % 8 == 0)
                under.AssertHealthy(name, keys);
        }, oneIn);
        Assert.That(cases, Is.GreaterThanOrEqualTo(60 / oneIn));
    }

    [TestCase(FaultKind.Zero, 0)]
    [TestCase(FaultKind.Corrupt, 4711)]
    public void A_missing_or_damaged_page_at_any_read_never_gives_a_wrong_vector(FaultKind kind, int value)
    {
        int turn = 0;
        Type expected = kind == FaultKind.Corrupt ? typeof(IndexCorruptException) : typeof(DeviceException);
        int cases = Campaign.ForEveryRead(() => new GetUnderTest(_test, Seed), GetUnderTest.Singles(Damaged), (under, keys, k, name) =>
        {
            Exception? error = under.Run(name, keys, FaultPlan.At(k, new Fault(kind, value + (turn++ * 997))));
            if (error?.GetType() != expected)
                Assert.Fail($"{name}: expected {expected.Name}, found {error?.ToString() ?? "an answer"}");
        });
        Assert.That(cases, Is.GreaterThanOrEqualTo(Damaged * 9 / 10 * 2));
    }

    [Test]
    [Spread(2)]
    public void A_transient_fault_at_any_read_changes_no_answer([Values] bool isAsync, [Values(Errno.EINTR, Errno.EAGAIN, 0)] int errno)
    {
        int cases = Campaign.ForEveryRead(() => new GetUnderTest(_test, Seed, isAsync), GetUnderTest.Singles(20), (under, keys, k, name) =>
        {
            // No errno: the read is short and does not end at a sector.
            Fault fault = errno == 0 ? new Fault(FaultKind.Short, 1000) : new Fault(FaultKind.Errno, errno);
            if (under.Run(name, keys, FaultPlan.At(k, fault)) is { } error)
                Assert.Fail($"{name}: {error}");
        });
        Assert.That(cases, Is.GreaterThanOrEqualTo(36));
    }

    [Test]
    public void A_failing_disk_is_read_a_bounded_number_of_times([Values(Errno.EIO, Errno.EAGAIN)] int errno)
    {
        using GetUnderTest under = new(_test, Seed);
        FaultPlan plan = FaultPlan.From(0, new Fault(FaultKind.Errno, errno));
        Assert.That(under.Run("all", new KeyRange(0, 1), plan), Is.TypeOf<DeviceException>());
        Assert.That(
            plan.Reads, Is.EqualTo(errno == Errno.EIO ? 1 : 4),
            "Only the chain's first page is read: once, or as often as a request may be tried.");
        under.AssertHealthy("all", new KeyRange(0, 1));
    }
}
