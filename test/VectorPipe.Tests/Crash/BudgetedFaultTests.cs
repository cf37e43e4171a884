using NUnit.Framework;
using VectorPipe.Indexes;
using VectorPipe.Model;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Generations;
using VectorPipe.Tests.Api;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Crash;

/// <summary>After a fault or death at any storage operation of a budgeted build an index is usable.</summary>
/// <remarks>Where a case fails one in several operations, a heavy case fails all of them.</remarks>
[Platform("Linux")]
public sealed class BudgetedFaultTests
{
    private const long Budget = 64 << 20;

    // Operations of a build with its scratch files.
    private const int AtLeast = 100;

    // The number in the lock, ten of scratch files, pages and header of five files, and the manifest.
    private const int Writes = 22;

    private ReplacedIndex _index = null!;
    private int _operations;

    [OneTimeSetUp]
    public void BuildOldIndex()
    {
        _index = new ReplacedIndex(Budget);
        var io = new FaultyStorageIo(StorageFault.IoError, int.MaxValue);
        _index.Restore(_index.Old);
        _index.Build(io);
        _operations = io.Operations;
    }

    [OneTimeTearDown]
    public void RemoveIndex() => _index.Dispose();

    [TestCase(StorageFault.Death, 5)]
    [TestCase(StorageFault.Death, 1, Category = "Heavy")]
    [TestCase(StorageFault.DeathInWrite, 1, Category = "Heavy")]
    public void A_death_at_any_operation_leaves_the_old_index_or_the_new_one_and_the_next_build_cleans_up(StorageFault death, int every)
    {
        const int RealDeaths = 16, BuildsAfter = 8;
        var seen = new HashSet<IndexOutcome>();
        var build = new RecordedBuild(_index, _index.Old);
        Assert.That(build.Count, Is.EqualTo(_operations));
        int deaths = 0;
        for (int k = every / 2; k < _operations; k += every, deaths++)
        {
            string context = build.Describe(death, k);
            if (deaths % RealDeaths == 0)
                build.AssertReplayIsTrue(_index, _index.Old, death, k);
            Dictionary<string, byte[]>? files = build.FilesAfter(death, k);
            seen.Add(_index.ExamineOnce(files, context, cleansUp: true));
            if (deaths % BuildsAfter != 0)
                continue;
            _index.RestoreDirectory(files);
            _index.Build();
            Assert.That(_index.Examine(context), Is.EqualTo(IndexOutcome.New), $"the build after: {context}");
            _index.AssertNoLeftovers(context);
        }

        Assert.That(seen, Is.EquivalentTo(new[] { IndexOutcome.Old, IndexOutcome.New }));
        FaultTally.Report($"under a budget, {death}", deaths, AtLeast / every);
    }

    [TestCase(StorageFault.IoError, false, 13)]
    [TestCase(StorageFault.DiskFull, true, 14)]
    [TestCase(StorageFault.ShortWrite, false, 4)]
    [TestCase(StorageFault.IoError, false, Category = "Heavy")]
    [TestCase(StorageFault.IoError, true, Category = "Heavy")]
    [TestCase(StorageFault.DiskFull, true, Category = "Heavy")]
    [TestCase(StorageFault.DiskFull, false, Category = "Heavy")]
    [TestCase(StorageFault.ShortWrite, false, Category = "Heavy")]
    [TestCase(StorageFault.ShortWrite, true, Category = "Heavy")]
    public void An_error_at_any_operation_is_typed_and_leaves_the_old_index_or_the_new_one(StorageFault fault, bool always, int every = 1)
    {
        // Only a write can be short: other operations would repeat the error of another case.
        var build = new RecordedBuild(_index, _index.Old);
        bool isShort = fault == StorageFault.ShortWrite;
        int[] operations = [.. Enumerable.Range(0, _operations).Where(k => !isShort || build.IsWrite(k))];
        if (isShort)
            Assert.That(operations, Has.Length.EqualTo(Writes), "every write comes short");
        int faults = 0;
        for (int i = every / 2; i < operations.Length; i += every, faults++)
        {
            int k = operations[i];
            _index.Restore(_index.Old);
            string context = Fail(new FaultyStorageIo(fault, k, always), out Exception? error);
            Assert.That(error, Is.Null.Or.TypeOf<IndexWriteException>(), context);
            if (!always && error is not null && IndexDirectory.ReadManifest(_index.Directory).Generation == 1)
                AssertNoScratch(context);
            IndexOutcome outcome = _index.Examine(context);
            Assert.That(outcome, Is.EqualTo(IndexOutcome.Old).Or.EqualTo(IndexOutcome.New), context);
            if (error is null)
                Assert.That(outcome, Is.EqualTo(IndexOutcome.New), context);
            _index.AssertNextWriterCleansUp(outcome, context);
        }

        FaultTally.Report(
            $"under a budget, {fault}, {(always ? "from then on" : "once")}", faults, (isShort ? Writes : AtLeast) / every);
    }

    [TestCase(20, Category = "Heavy")]
    public void A_disk_that_fills_up_under_several_threads_is_the_reported_error(int cases)
    {
        // Enough rows for several threads to fill the shuffle of link requests more than once.
        const int count = 12_000, dimension = 16;
        byte[] rows = new byte[count * dimension];
        new Random(4).NextBytes(rows);
        using var folder = new TemporaryFolder();
        BuildOptions options =
            BuildOptionsTuning.SmallGraph(degree: 8, listSize: 16, codeBytes: 4).Tuned(tuning => tuning with { Code = CodeKind.Pq }) with
            {
                Threads = 2,
                MemoryBudget = 2 * Budget,
            };
        void Build(string name, IStorageIo io) =>
            new VectorIndexBuilder(folder.File(name), options, null, io) { CalibrationQueries = 12 }
            .BuildAsync(VectorSource.FromMemory<byte>(rows, dimension)).GetAwaiter().GetResult();
        var recorded = new RecordingStorageIo();
        Build("recorded", recorded);
        int[] writes = [
            .. recorded.Operations.Index().Where(
                operation =>
                operation.Item is { Kind: StorageOperationKind.Write, Name: var name }
                && name.Contains("-requests", StringComparison.Ordinal)).Select(operation => operation.Index)];
        Assert.That(writes, Has.Length.AtLeast(10), "requests are shuffled");

        for (int i = 0; i < cases; i++)
        {
            var io = new FaultyStorageIo(StorageFault.DiskFull, writes[i * writes.Length / cases], always: true);
            Assert.That(() => Build($"full-{i}", io), Throws.TypeOf<IndexWriteException>(), io.Failed);
        }
    }

    [Test]
    public void Scratch_files_are_among_the_operations()
    {
        _index.Restore(_index.Old);
        var io = new RecordingStorageIo();
        _index.Build(io);
        string[] created =
            [.. io.Operations.Where(operation => operation.Kind == StorageOperationKind.Create).Select(operation => operation.Name)];
        // The first of them reserves room for all, before the work, and releases it.
        Assert.That(
            created.Count(name => name.StartsWith("scratch-", StringComparison.Ordinal)), Is.EqualTo(19), string.Join(' ', created));
        string[] deleted =
            [.. io.Operations.Where(operation => operation.Kind == StorageOperationKind.Delete).Select(operation => operation.Name)];
        Assert.That(
            created.Where(name => name.StartsWith("scratch-", StringComparison.Ordinal)), Is.SubsetOf(deleted),
            "each is deleted by the build itself");
    }

    [TestCase(3, 14)]
    [TestCase(60, 1, Category = "Heavy")]
    public void After_any_loss_of_power_the_old_index_or_the_new_one_opens(int lossesOfEach, int every)
    {
        Random random = RandomizedTest.Start();
        _index.Restore(_index.Old);
        var io = new RecordingStorageIo();
        _index.Build(io);
        var disk = new PowerLoss(_index.Directory, _index.Old, io.Operations);
        var seen = new HashSet<IndexOutcome>();
        for (int end = io.Operations.Count % every; end <= io.Operations.Count; end += every)
        {
            int[] losable = disk.Losable(end);
            for (int loss = 0; loss < lossesOfEach; loss++)
            {
                // Everything is lost, a random part is kept, or some sectors of the last write are kept.
                var kept = losable.ToDictionary(i => i, _ => loss > 0 && random.Next(2) > 0 ? int.MaxValue : 0);
                if (loss > 1 && losable.LastOrDefault(i => io.Operations[i].Bytes is not null, -1) is >= 0 and int torn)
                    kept[torn] = 512 * random.Next(io.Operations[torn].Bytes!.Length / 512 + 1);
                string context =
                    $"power lost before operation {end} of {io.Operations.Count}, kept: {string.Join(' ', kept.Where(k => k.Value > 0))}";
                seen.Add(_index.ExamineOnce(disk.Files(end, kept), context, cleansUp: true));
            }
        }

        Assert.That(seen, Is.EquivalentTo(new[] { IndexOutcome.Old, IndexOutcome.New }));
    }

    [TestCase(11)]
    [TestCase(1, Category = "Heavy")]
    public void A_cancellation_at_any_operation_leaves_the_old_index_or_the_new_one_and_no_scratch(int every)
    {
        int cancelled = 0;
        for (int k = 0; k < _operations; k += every)
        {
            _index.Restore(_index.Old);
            using var cancellation = new CancellationTokenSource();
            var io = new HookedStorageIo(k, cancellation.Cancel);
            string context = $"cancelled at operation {k} of {_operations}";
            bool ended = false;
            try
            {
                _index.Build(_index.NewVectors(), io, null, cancellation.Token);
                ended = true;
            }
            catch (OperationCanceledException)
            {
                cancelled++;
            }

            AssertNoScratch(context);
            IndexOutcome outcome = _index.Examine(context);
            Assert.That(outcome, Is.EqualTo(ended ? IndexOutcome.New : IndexOutcome.Old), context);
            _index.AssertNoLeftovers(context);
        }

        int cases = (_operations + every - 1) / every;
        Assert.That(cancelled, Is.GreaterThan(cases / 2));
        FaultTally.Report("under a budget, cancelled", cases, AtLeast / every);
    }

    [TestCase(6)]
    [TestCase(1, Category = "Heavy")]
    public void A_cancellation_at_any_report_leaves_the_old_index_and_no_scratch(int every)
    {
        for (int k = 0, reports = int.MaxValue; k < reports; k += every)
        {
            _index.Restore(_index.Old);
            using var cancellation = new CancellationTokenSource();
            var progress = new CancelAtReport(k, cancellation);
            bool ended = false;
            try
            {
                _index.Build(_index.NewVectors(), FileStorageIo.Instance, progress, cancellation.Token);
                ended = true;
            }
            catch (OperationCanceledException)
            {
                AssertNoScratch($"report {k}: {progress.Phase}");
            }

            // After the last report comes the publication, which no cancellation stops.
            Assert.That(_index.Examine($"report {k}"), Is.EqualTo(ended ? IndexOutcome.New : IndexOutcome.Old));
            _index.AssertNoLeftovers($"report {k}");
            reports = progress.Reports > k ? int.MaxValue : k;
        }
    }

    private string Fail(FaultyStorageIo io, out Exception? error)
    {
        error = null;
        try
        {
            _index.Build(io);
        }
        catch (Exception e) when (e is ProcessDeathException or VectorPipeException or IOException)
        {
            error = e;
        }

        return $"{io.Failed}, ending in {error?.Message ?? "success"}";
    }

    private void AssertNoScratch(string context) =>
        Assert.That(Directory.EnumerateFiles(_index.Directory).Select(Path.GetFileName), Has.None.StartsWith("scratch-"), context);

    private sealed class CancelAtReport(int at, CancellationTokenSource cancellation) : IProgress<BuildProgress>
    {
        public int Reports { get; private set; }

        public string Phase { get; private set; } = "";

        public void Report(BuildProgress value)
        {
            if (Reports++ != at)
                return;
            Phase = value.Phase;
            cancellation.Cancel();
        }
    }
}
