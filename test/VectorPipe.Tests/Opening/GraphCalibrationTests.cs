using NUnit.Framework;
using NUnit.Framework.Constraints;
using VectorPipe.Model;
using VectorPipe.Opening;
using VectorPipe.Searching.Calibrating;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Generations;
using VectorPipe.Storage.Manifests;
using VectorPipe.Tests.Api;
using VectorPipe.Tests.Crash;
using VectorPipe.Tests.Devices;
using VectorPipe.Tests.Faults;

namespace VectorPipe.Tests.Opening;

/// <summary>The calibration of a finished graph, merged or plain, changes only the manifest, at its end.</summary>
[TestFixture(IndexLayout.Merged)]
[TestFixture(IndexLayout.Plain, Category = "Heavy")]
internal sealed class GraphCalibrationTests(IndexLayout layout)
{
    private const int Count = 1200;
    private const int Queries = 60;
    private const int K = 10;

    // The fewest queries that a caller may ask for, and fewer for tests that calibrate many times.
    private const int Calibrating = 100;
    private const int Few = 12;
    private const int Thresholds = 13;
    private const float Enough = 0.9995f;

    private TestIndex _test = null!;
    private byte[] _built = null!;

    // The manifest after a calibration with the default number of queries, for tests that need no other.
    private byte[] _calibrated = [];

    // The manifest after a calibration with few queries.
    private byte[] _calibratedWithFew = [];
    private SearchHit[] _answers = null!;

    private string ManifestPath => Path.Combine(_test.Directory, IndexDirectory.ManifestName);

    [OneTimeSetUp]
    public void Build()
    {
        _test = TestIndex.Build(count: Count, layout: layout, code: CodeKind.Pq);
        _built = File.ReadAllBytes(ManifestPath);
        _answers = Search(new SearchOptions { Graph = new GraphSearch { ListSize = 40 } });
    }

    [OneTimeTearDown]
    public void Delete() => _test.Dispose();

    [SetUp]
    public void Restore() => File.WriteAllBytes(ManifestPath, _built);

    [Test]
    public async Task A_table_is_measured_and_kept_in_the_manifest()
    {
        IndexInfo before = VectorIndex.Inspect(_test.Directory);
        Assert.That(before.Calibration, layout == IndexLayout.Merged ? Is.Not.Empty : Is.Empty, "a build calibrates merged indexes");
        IndexInfo after = await VectorIndex.CalibrateAsync(_test.Directory, 200);
        using (Assert.EnterMultipleScope())
        {
            Assert.That(after.Calibration, Is.Not.Empty.And.Not.EqualTo(before.Calibration));
            Assert.That(after.Calibration.Select(point => point.Threshold), Is.Ordered.Descending);
            Assert.That(after.Calibration.Select(point => point.Reads), Is.Ordered);
            Assert.That(after.Calibration[^1].Recall, Is.GreaterThan(0.97));
            Assert.That(after.Calibration.SkipLast(1).Select(point => point.Recall), Has.All.LessThan(Enough));
            Assert.That(after.Calibration, Has.Count.EqualTo(Thresholds).Or.Matches<IReadOnlyList<IndexCalibrationPoint>>(
                points => points![^1].Recall >= Enough), "the table ends where nothing is left to find");
            Assert.That(VectorIndex.Inspect(_test.Directory).Calibration, Is.EqualTo(after.Calibration), "the manifest keeps the table");
            Assert.That((after.Generation, after.Files), Is.EqualTo((before.Generation, before.Files)), "the files are unchanged");
        }

        AssertWhole("after the calibration");
    }

    [Test]
    public async Task Another_calibration_writes_the_same_bytes()
    {
        await VectorIndex.CalibrateAsync(_test.Directory, Calibrating);
        byte[] once = File.ReadAllBytes(ManifestPath);
        await VectorIndex.CalibrateAsync(_test.Directory, Calibrating);
        Assert.That(once, Is.Not.EqualTo(_built));
        Assert.That(File.ReadAllBytes(ManifestPath), Is.EqualTo(once));
    }

    [Test]
    public async Task Searches_by_gain_and_by_target_recall_agree_with_the_table([Values(0.8f, 0.9f, 0.97f)] float recall)
    {
        if (_calibrated.Length == 0)
        {
            await VectorIndex.CalibrateAsync(_test.Directory);
            _calibrated = File.ReadAllBytes(ManifestPath);
        }

        File.WriteAllBytes(ManifestPath, _calibrated);
        IndexInfo info = VectorIndex.Inspect(_test.Directory);
        Assert.That(
            Recall(new SearchOptions { TargetRecall = recall }), Is.GreaterThan(recall - 0.04f),
            $"table: {string.Join("; ", info.Calibration)}");
        IndexCalibrationPoint point = info.Calibration.First(point => point.Recall > recall);
        Assert.That(
            Recall(new SearchOptions { Graph = new GraphSearch { Threshold = (float)point.Threshold } }), Is.GreaterThan(recall - 0.04f),
            $"{point}");
    }

    [Test]
    public async Task An_open_index_keeps_its_calibration()
    {
        var gain = new SearchOptions { Graph = new GraphSearch { Threshold = 0.1f } };
        using (VectorIndex index = _test.Open(DeviceKind.Memory))
        {
            SearchHit[] before = layout == IndexLayout.Merged ? Search(gain, index) : [];
            await VectorIndex.CalibrateAsync(_test.Directory, Calibrating);
            if (layout == IndexLayout.Merged)
                Assert.That(Search(gain, index), Is.EqualTo(before));
            else
                Assert.That(
                    () => Search(gain, index),
                    Throws.TypeOf<ArgumentOutOfRangeException>().With.Message.Contains(nameof(GraphSearch.Threshold)));
        }

        Assert.That(() => Search(gain), Throws.Nothing, "after reopening");
    }

    [TestCase(5)]
    [TestCase(1, Category = "Heavy")]
    public void A_cancellation_at_any_report_changes_nothing(int every)
    {
        (int reports, int points) = CountReports();
        int end = points < Thresholds ? 1 : 0;
        Assert.That(reports, Is.EqualTo(2 + points + end), "the line, the truth, each threshold, and the end of a table that ends early");
        for (int k = 0; k < reports; k += every)
        {
            using var cancellation = new CancellationTokenSource();
            var progress = new HookedProgress("calibrate", k, cancellation.Cancel);
            Assert.That(
                () => IndexCalibration.Run(_test.Directory, CalibrationQueries.Made(Few), progress, cancellation.Token),
                Throws.InstanceOf<OperationCanceledException>(), $"report {k} of {reports}");
            AssertUnchanged($"cancelled at report {k} of {reports}");
        }
    }

    [Test]
    public void The_caller_receives_the_cancellation()
    {
        using var cancellation = new CancellationTokenSource();
        var progress = new HookedProgress("calibrate", 0, cancellation.Cancel);
        Assert.That(
            async () => await VectorIndex.CalibrateAsync(_test.Directory, Calibrating, progress, cancellationToken: cancellation.Token),
            Throws.InstanceOf<OperationCanceledException>());
        AssertUnchanged("cancelled");
    }

    [Test]
    public void An_error_of_the_progress_callback_changes_nothing()
    {
        var progress = new HookedProgress("calibrate", 1, () => throw new InvalidOperationException("enough seen"));
        Assert.That(
            async () => await VectorIndex.CalibrateAsync(_test.Directory, Calibrating, progress),
            Throws.TypeOf<InvalidOperationException>());
        AssertUnchanged("after an error of the progress");
    }

    [Test]
    public void A_calibration_is_the_same_on_any_number_of_threads()
    {
        // Three blocks, the last one short.
        const int Made = (2 * SyntheticQueries<float>.BlockQueries) + 9;
        Manifest manifest = IndexDirectory.ReadManifest(_test.Directory) with { Calibration = null };
        Calibration one = On(1), three = On(3);
        using (Assert.EnterMultipleScope())
        {
            Assert.That(three.Points, Is.EqualTo(one.Points));
            Assert.That(three with { Points = one.Points }, Is.EqualTo(one), "the line");
        }

        Calibration On(int threads) => IndexCalibration.Add(
            _test.Directory, manifest, CalibrationQueries.Made(Made), 13, threads, null, new RecordingLogger(), null, default).Calibration!;
    }

    [Test]
    public void A_device_error_does_not_discard_a_finished_build([Values] bool isLasting)
    {
        Manifest manifest = IndexDirectory.ReadManifest(_test.Directory) with { Calibration = null };
        int failures = 0;
        var opener = new FaultOpener(read => read == 5 || (isLasting && read > 5) ? Fail() : default);
        var logger = new RecordingLogger();
        Manifest added = IndexCalibration.Add(
            _test.Directory, manifest, CalibrationQueries.Made(Few), 4, 1, null, logger, opener.Open, CancellationToken.None);
        Assert.That(failures, Is.Positive);
        Assert.That(added.Calibration, isLasting ? Is.Null : Is.Not.Null);
        Assert.That(logger.Messages.Count(message => message.Contains("tries once more", StringComparison.Ordinal)), Is.EqualTo(1));
        Assert.That(
            logger.Messages.Count(message => message.Contains("without a calibration", StringComparison.Ordinal)),
            Is.EqualTo(isLasting ? 1 : 0));

        Fault Fail()
        {
            failures++;
            return new Fault(FaultKind.Errno, 5);
        }
    }

    [Test]
    public async Task Calibration_is_refused_beside_another_writer()
    {
        using (WriteLock.Take(_test.Directory, FileStorageIo.Instance))
        {
            Assert.That(
                async () => await VectorIndex.CalibrateAsync(_test.Directory, Calibrating),
                Throws.TypeOf<IndexWriteException>().With.Message.Contains("only writer"));
            AssertUnchanged("beside another writer");
        }

        Assert.That((await VectorIndex.CalibrateAsync(_test.Directory, Calibrating)).Calibration, Is.Not.Empty, "after it");
    }

    [Test]
    public void Another_writer_is_refused_beside_a_calibration()
    {
        int refused = 0;
        var progress = new HookedProgress("calibrate", 3, () =>
        {
            Assert.That(() => WriteLock.Take(_test.Directory, FileStorageIo.Instance), Throws.TypeOf<IndexWriteException>());
            refused++;
        });
        IndexCalibration.Run(_test.Directory, CalibrationQueries.Made(Calibrating), progress, CancellationToken.None);
        Assert.That(refused, Is.EqualTo(1));
    }

    /// <summary>Lets one storage operation after another fail.</summary>
    /// <param name="fault">The fault.</param>
    /// <param name="first">The first operation that fails, for a merged graph.</param>
    /// <param name="every">
    /// One in this many operations fails: each of them in the heavy cases. The regular cases of both layouts meet each of them once.
    /// </param>
    [TestCase(StorageFault.IoError, 0, 10)]
    [TestCase(StorageFault.DiskFull, 1, 10)]
    [TestCase(StorageFault.ShortWrite, 2, 10)]
    [TestCase(StorageFault.Death, 3, 10)]
    [TestCase(StorageFault.DeathInWrite, 4, 10)]
    [TestCase(StorageFault.IoError, 0, 1, Category = "Heavy")]
    [TestCase(StorageFault.DiskFull, 0, 1, Category = "Heavy")]
    [TestCase(StorageFault.ShortWrite, 0, 1, Category = "Heavy")]
    [TestCase(StorageFault.Death, 0, 1, Category = "Heavy")]
    [TestCase(StorageFault.DeathInWrite, 0, 1, Category = "Heavy")]
    public void A_fault_at_any_storage_operation_leaves_the_old_table_or_the_new_one(StorageFault fault, int first, int every)
    {
        const int Operations = 11;
        if (_calibratedWithFew.Length == 0)
        {
            var counting = new FaultyStorageIo(StorageFault.IoError, int.MaxValue);
            IndexCalibration.Run(_test.Directory, CalibrationQueries.Made(Few), null, CancellationToken.None, counting);
            Assert.That(
                counting.Operations, Is.EqualTo(Operations),
                "lock, its proof and its number; delete, create, write and sync; sync the directory, rename, sync it again; "
                + "empty the lock");
            _calibratedWithFew = File.ReadAllBytes(ManifestPath);
        }

        // An error at the proof shows that the lock excludes; a lock that keeps its number does no harm.
        const int Proof = 1, LastSync = Operations - 2, Emptying = Operations - 1;
        bool dies = fault is StorageFault.Death or StorageFault.DeathInWrite;
        for (int k = first + (layout == IndexLayout.Plain ? every / 2 : 0); k < Operations; k += every)
        {
            Restore();
            var io = new FaultyStorageIo(fault, k);
            IResolveConstraint expected = dies ? Throws.TypeOf<ProcessDeathException>()
                : k is Proof or Emptying ? Throws.Nothing
                : Throws.TypeOf<IndexWriteException>();
            Assert.That(
                () => IndexCalibration.Run(_test.Directory, CalibrationQueries.Made(Few), null, CancellationToken.None, io), expected,
                io.Failed);
            byte[] manifest = File.ReadAllBytes(ManifestPath);

            // The last sync and the emptying come after the rename; an error at the proof is no failure.
            bool isChanged = k is LastSync or Emptying || (k == Proof && !dies);
            Assert.That(manifest.AsSpan().SequenceEqual(isChanged ? _calibratedWithFew : _built), Is.True, io.Failed);
            AssertWhole(io.Failed!);
        }
    }

    private (int Reports, int Points) CountReports()
    {
        var progress = new HookedProgress("calibrate", int.MaxValue, () => { });
        IndexInfo info = IndexCalibration.Run(_test.Directory, CalibrationQueries.Made(Few), progress, CancellationToken.None);
        Restore();
        return (progress.Reports, info.Calibration.Count);
    }

    private void AssertUnchanged(string context)
    {
        Assert.That(File.ReadAllBytes(ManifestPath).AsSpan().SequenceEqual(_built), Is.True, context);
        AssertWhole(context);
    }

    // The next writer removes an unfinished manifest of a dead writer.
    private void AssertWhole(string context)
    {
        Assert.That(Search(new SearchOptions { Graph = new GraphSearch { ListSize = 40 } }), Is.EqualTo(_answers), context);
        string[] named =
            [.. IndexDirectory.ReadManifest(_test.Directory).Files.Select(file => file.Name), IndexDirectory.ManifestName, WriteLock.Name];
        IEnumerable<string?> found =
            Directory.EnumerateFiles(_test.Directory).Select(Path.GetFileName).Where(name => name != IndexDirectory.TemporaryManifestName);
        Assert.That(found, Is.EquivalentTo(named).Or.EquivalentTo(named[..^1]), context);
    }

    private SearchHit[] Search(SearchOptions options)
    {
        using VectorIndex index = _test.Open(DeviceKind.Memory);
        return Search(options, index);
    }

    private SearchHit[] Search(SearchOptions options, VectorIndex index)
    {
        using SearchSession session = index.OpenSession();
        return TypedSearch.Search(session, _test, _test.MakeQueries(Queries), K, options with { Mode = SearchMode.Beam }).Hits;
    }

    private double Recall(SearchOptions options)
    {
        byte[] queries = _test.MakeQueries(Queries);
        using VectorIndex index = _test.Open(DeviceKind.Memory);
        using SearchSession session = index.OpenSession();
        (SearchHit[] hits, SearchStatistics[] statistics) =
            TypedSearch.Search(session, _test, queries, K, options with { Mode = SearchMode.Beam });
        return TypedSearch.Recall(_test, queries, K, hits, statistics);
    }
}
