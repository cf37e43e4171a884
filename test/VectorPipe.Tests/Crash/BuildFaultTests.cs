using NUnit.Framework;
using VectorPipe.Storage.Generations;

namespace VectorPipe.Tests.Crash;

/// <summary>Every storage operation of a build is made to fail, one after another.</summary>
/// <remarks>Where a case fails one in several operations, a heavy case fails all of them.</remarks>
[TestFixture(IndexKind.Graph)]
[TestFixture(IndexKind.Ivf)]
public sealed class BuildFaultTests
{
    // One death in six kills a real build, which must leave the files that the recording predicts.
    private const int RealDeaths = 6;

    // A build has more operations than this: five files are created, written and synced, renamed or deleted.
    private const int AtLeast = 36;

    private static readonly IReadOnlyDictionary<string, byte[]> _nothing = new Dictionary<string, byte[]>();

    // The number in the lock, pages and header of every file, and the manifest.
    private int Writes => _kind == IndexKind.Graph ? 12 : 14;

    private readonly IndexKind _kind;
    private ReplacedIndex _index = null!;
    private RecordedBuild _build = null!;

    public BuildFaultTests(IndexKind kind) => _kind = kind;

    [OneTimeSetUp]
    public void RecordBuild()
    {
        _index = new ReplacedIndex(kind: _kind);
        _build = new RecordedBuild(_index, _index.Old);
    }

    [OneTimeTearDown]
    public void RemoveIndex() => _index.Dispose();

    [TestCase(StorageFault.Death, 7)]
    [TestCase(StorageFault.DeathInWrite, 5)]
    [TestCase(StorageFault.Death, 1, Category = "Heavy")]
    [TestCase(StorageFault.DeathInWrite, 1, Category = "Heavy")]
    public void A_build_that_dies_at_any_operation_leaves_the_old_index_or_the_new_one(StorageFault death, int every)
    {
        var outcomes = new List<IndexOutcome>();
        for (int k = every / 2; k < _build.Count; k += every)
        {
            string context = _build.Describe(death, k);
            if (outcomes.Count % RealDeaths == 0 || (death == StorageFault.DeathInWrite && _build.IsWrite(k)))
                _build.AssertReplayIsTrue(_index, _index.Old, death, k);
            outcomes.Add(_index.ExamineOnce(_build.FilesAfter(death, k), context, cleansUp: true));
        }

        Assert.That(
            outcomes.Distinct(), Is.EquivalentTo(new[] { IndexOutcome.Old, IndexOutcome.New }),
            "some deaths came before the rename and some after it");
        FaultTally.Report($"{_kind}, {death}", outcomes.Count, AtLeast / every);
    }

    [TestCase(9)]
    [TestCase(1, Category = "Heavy")]
    public void A_first_build_that_dies_at_any_operation_leaves_no_index_or_the_whole_index(int every)
    {
        var build = new RecordedBuild(_index, _nothing);
        int cases = 0;
        for (int k = every / 2; k < build.Count; k += every, cases++)
        {
            string context = build.Describe(StorageFault.Death, k);
            if (cases % RealDeaths == 0)
                build.AssertReplayIsTrue(_index, _nothing, StorageFault.Death, k);
            _index.RestoreDirectory(build.FilesAfter(StorageFault.Death, k));
            bool published = File.Exists(Path.Combine(_index.Directory, IndexDirectory.ManifestName));
            Assert.That(_index.Examine(context), Is.EqualTo(published ? IndexOutcome.New : IndexOutcome.None), context);
            _index.Build();
            Assert.That(_index.Examine(context), Is.EqualTo(IndexOutcome.New), context);
            _index.AssertNoLeftovers(context);
        }

        FaultTally.Report($"{_kind}, death of a first build", cases, AtLeast / every);
    }

    [TestCase(18)]
    [TestCase(1, Category = "Heavy")]
    public void A_second_death_leaves_the_old_index_or_the_new_one(int every)
    {
        // The lock, the sync, the manifest's repair and deletions; later operations repeat the test of a single death.
        const int CleanUp = 12;
        int cases = 0;
        Dictionary<string, byte[]>? leftBefore = null;
        RecordedBuild? next = null;
        for (int first = 0; first < _build.Count; first += every)
        {
            Dictionary<string, byte[]> left = _build.FilesAfter(StorageFault.Death, first)!;

            // The next build does the same if the death before it left the same files.
            if (!AreSame(left, leftBefore))
                next = new RecordedBuild(_index, left);
            leftBefore = left;
            for (int second = 0; second < CleanUp; second++, cases++)
            {
                string context = $"after {next!.Describe(StorageFault.Death, second)}, the death before it at operation {first}";
                _index.ExamineOnce(next.FilesAfter(StorageFault.Death, second), context, cleansUp: true);
            }
        }

        FaultTally.Report($"{_kind}, death after a death", cases, CleanUp * AtLeast / every);
    }

    [TestCase(StorageFault.IoError, false, 8)]
    [TestCase(StorageFault.IoError, true, 9)]
    [TestCase(StorageFault.ShortWrite, false, 7)]
    [TestCase(StorageFault.ShortWrite, true, 9)]
    [TestCase(StorageFault.IoError, false, Category = "Heavy")]
    [TestCase(StorageFault.IoError, true, Category = "Heavy")]
    [TestCase(StorageFault.ShortWrite, false, Category = "Heavy")]
    [TestCase(StorageFault.ShortWrite, true, Category = "Heavy")]
    [TestCase(StorageFault.DiskFull, false, Category = "Heavy")]
    [TestCase(StorageFault.DiskFull, true, Category = "Heavy")]
    public void An_error_at_any_operation_leaves_the_old_index_or_the_new_one_and_is_typed(StorageFault fault, bool always, int every = 1)
    {
        int syncs = 0, failedSyncs = 0, faults = 0;
        bool isShort = fault == StorageFault.ShortWrite;

        // Only a write can be short: other operations would repeat the error of another case.
        int[] operations = [.. Enumerable.Range(0, _build.Count).Where(k => !isShort || _build.IsWrite(k))];
        if (isShort)
            Assert.That(operations, Has.Length.EqualTo(Writes), "every write comes short");
        for (int i = every / 2; i < operations.Length; i += every, faults++)
        {
            int k = operations[i];
            _index.Restore(_index.Old);
            var io = new FaultyStorageIo(fault, k, always);
            Exception? error = Catch(() => _index.Build(io));
            string context = $"{fault} at {io.Failed}, ending in {error?.Message ?? "success"}";
            Assert.That(error, Is.Null.Or.TypeOf<IndexWriteException>(), context);

            // The error does not last: the build itself has cleaned up before the index is opened.
            if (!always && error is not null && IndexDirectory.ReadManifest(_index.Directory).Generation == 1)
                _index.AssertNoLeftovers(context);
            if (io.Failed!.Contains(": sync", StringComparison.Ordinal))
            {
                syncs++;
                failedSyncs += error is IndexWriteException ? 1 : 0;
            }

            IndexOutcome outcome = _index.Examine(context);
            Assert.That(outcome, Is.EqualTo(IndexOutcome.Old).Or.EqualTo(IndexOutcome.New), context);
            if (error is null)
                Assert.That(outcome, Is.EqualTo(IndexOutcome.New), $"a successful build is in force: {context}");
            _index.AssertNextWriterCleansUp(outcome, context);
        }

        // The directory under the lock; five files and the manifest; the directory before the rename and after it.
        if (fault == StorageFault.IoError && !always)
            Assert.That(failedSyncs, Is.EqualTo(syncs).And.Positive, "a sync that fails once fails the build");
        if (fault == StorageFault.IoError && !always && every == 1)
            Assert.That(syncs, Is.EqualTo(9));
        string campaign = $"{_kind}, {fault}, {(always ? "from then on" : "once")}";
        FaultTally.Report(campaign, faults, (isShort ? Writes : AtLeast) / every);
    }

    [TestCase(9)]
    [TestCase(1, Category = "Heavy")]
    public void A_first_build_that_fails_leaves_nothing(int every)
    {
        int operations = new RecordedBuild(_index, _nothing).Count;

        // Until it holds the lock, a build may not be the only writer: the directory that it has created stays.
        const int CreatesSyncsAndLocks = 5;
        int cases = 0;
        for (int k = CreatesSyncsAndLocks; k < operations; k += every, cases++)
        {
            _index.Restore(_nothing);
            var io = new FaultyStorageIo(StorageFault.DiskFull, k);
            Exception? error = Catch(() => _index.Build(io));
            if (_index.Examine(io.Failed!) == IndexOutcome.None)
                Assert.That(Directory.Exists(_index.Directory), Is.False, $"{io.Failed}: {error?.Message}");
        }

        FaultTally.Report($"{_kind}, error of a first build", cases, AtLeast / every);
    }

    private static bool AreSame(Dictionary<string, byte[]> files, Dictionary<string, byte[]>? others) =>
        others is not null && files.Count == others.Count
        && files.All(file => others.TryGetValue(file.Key, out byte[]? bytes) && bytes.AsSpan().SequenceEqual(file.Value));

    private static Exception? Catch(Action action)
    {
        try
        {
            action();
            return null;
        }
        catch (Exception e) when (e is ProcessDeathException or VectorPipeException or IOException)
        {
            return e;
        }
    }
}
