using NUnit.Framework;
using VectorPipe.Storage.Files;

namespace VectorPipe.Tests.Crash;

/// <summary>A build is cancelled, fails or dies while it calibrates and publishes a new index.</summary>
[TestFixture(null)]
[TestFixture(64L << 20, Category = "Heavy")]
[Platform("Linux")]
public sealed class CalibratedBuildTests(long? memoryBudget)
{
    private const string Phase = "calibrate";
    private const int Thresholds = 13;

    private ReplacedIndex _index = null!;
    private int _reports;
    private int _points;
    private int _operationsBefore;
    private int _operations;

    [OneTimeSetUp]
    public void BuildOldIndex()
    {
        _index = new ReplacedIndex(memoryBudget, count: 1000);
        var io = new FaultyStorageIo(StorageFault.IoError, int.MaxValue);
        var progress = new HookedProgress(Phase, 0, () => _operationsBefore = io.Operations);
        _index.Build(_index.NewVectors(), io, progress, CancellationToken.None);
        (_reports, _operations) = (progress.Reports, io.Operations);
        _points = VectorIndex.Inspect(_index.Directory).Calibration.Count;
    }

    [OneTimeTearDown]
    public void RemoveIndex() => _index.Dispose();

    [SetUp]
    public void RestoreOldIndex() => _index.Restore(_index.Old);

    [Test]
    public void A_published_index_is_calibrated()
    {
        int end = _points < Thresholds ? 1 : 0;
        Assert.That(
            _reports, Is.EqualTo(3 + _points + end),
            "the beginning, the line, the truth, each threshold, and the end of a table that ends early");
        Assert.That(_operations - _operationsBefore, Is.GreaterThan(5), "the operations of publication");
        Assert.That(_points, Is.Positive);
    }

    /// <summary>Cancels one build after another.</summary>
    /// <param name="every">One in this many reports cancels: each of them in the heavy case.</param>
    [TestCase(8)]
    [TestCase(1, Category = "Heavy")]
    public void A_cancellation_at_any_report_leaves_the_old_index_and_nothing_else(int every)
    {
        // From the last report back: what follows it is the publication.
        for (int k = _reports - 1; k >= 0; k -= every)
        {
            string context = $"cancelled at report {k} of {_reports}";
            using var cancellation = new CancellationTokenSource();
            Assert.That(
                () =>
                _index.Build(
                    _index.NewVectors(), FileStorageIo.Instance, new HookedProgress(Phase, k, cancellation.Cancel), cancellation.Token),
                Throws.InstanceOf<OperationCanceledException>(),
                context);
            AssertOld(context);
        }
    }

    [Test]
    public void An_error_of_the_progress_callback_leaves_the_old_index_and_nothing_else()
    {
        var progress = new HookedProgress(Phase, _reports / 2, () => throw new InvalidOperationException("enough seen"));
        Assert.That(
            () => _index.Build(_index.NewVectors(), FileStorageIo.Instance, progress, CancellationToken.None),
            Throws.TypeOf<InvalidOperationException>());
        AssertOld("after an error of the progress");
    }

    /// <summary>Lets one operation after another fail.</summary>
    /// <param name="fault">The fault.</param>
    /// <param name="every">One in this many operations fails: each of them in the heavy cases.</param>
    [TestCase(StorageFault.IoError, 8)]
    [TestCase(StorageFault.Death, 4)]
    [TestCase(StorageFault.IoError, 1, Category = "Heavy")]
    [TestCase(StorageFault.DiskFull, 1, Category = "Heavy")]
    [TestCase(StorageFault.ShortWrite, 1, Category = "Heavy")]
    [TestCase(StorageFault.Death, 1, Category = "Heavy")]
    [TestCase(StorageFault.DeathInWrite, 1, Category = "Heavy")]
    public void A_fault_at_any_later_operation_leaves_the_old_index_or_the_new_one(StorageFault fault, int every)
    {
        int cases = 0;
        var seen = new HashSet<IndexOutcome>();
        RecordedBuild? deaths = fault is StorageFault.Death or StorageFault.DeathInWrite ? new RecordedBuild(_index, _index.Old) : null;
        // For the first and the last death a real build dies, too.
        for (int k = _operationsBefore - 1 + every / 2; k < _operations; k += every, cases++)
        {
            bool isReal = cases == 0 || k == _operations - 1;
            Exception? error = deaths is null ? Fail(fault, k, out string context) : Die(deaths, fault, k, isReal, out context);
            IndexOutcome outcome = _index.Examine(context);
            Assert.That(
                outcome, error is null ? Is.EqualTo(IndexOutcome.New) : Is.EqualTo(IndexOutcome.Old).Or.EqualTo(IndexOutcome.New), context);
            if (outcome == IndexOutcome.New)
                Assert.That(VectorIndex.Inspect(_index.Directory).Calibration, Is.Not.Empty, context);
            _index.AssertNextWriterCleansUp(outcome, context);
            seen.Add(outcome);
        }

        Assert.That(
            seen, Is.EquivalentTo(new[] { IndexOutcome.Old, IndexOutcome.New }), "some faults came before the rename and some after it");
        FaultTally.Report($"calibrated, budget {memoryBudget}, {fault}", cases, Math.Max(2, 6 / every));
    }

    private Exception? Fail(StorageFault fault, int k, out string context)
    {
        _index.Restore(_index.Old);
        var io = new FaultyStorageIo(fault, k);
        Exception? error = null;
        try
        {
            _index.Build(io);
        }
        catch (IndexWriteException e)
        {
            error = e;
        }

        context = $"{io.Failed}, ending in {error?.Message ?? "success"}";
        return error;
    }

    private ProcessDeathException Die(RecordedBuild build, StorageFault death, int k, bool isReal, out string context)
    {
        if (isReal)
            build.AssertReplayIsTrue(_index, _index.Old, death, k);
        _index.RestoreDirectory(build.FilesAfter(death, k));
        context = build.Describe(death, k);
        return new ProcessDeathException(context);
    }

    private void AssertOld(string context)
    {
        // Before the index is opened: the build itself has cleaned up.
        _index.AssertNoLeftovers(context);
        Assert.That(_index.Examine(context), Is.EqualTo(IndexOutcome.Old), context);
    }
}
