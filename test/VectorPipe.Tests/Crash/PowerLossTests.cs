using NUnit.Framework;
using VectorPipe.Storage.Generations;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Crash;

/// <summary>The power fails before every operation of a build that replaces an index.</summary>
/// <remarks>Changes without a sync are lost in many combinations.</remarks>
public sealed class PowerLossTests
{
    private const int Sector = 512;

    private ReplacedIndex _index = null!;
    private IReadOnlyList<StorageOperation> _operations = [];
    private int _rename;

    [OneTimeSetUp]
    public void RecordBuild()
    {
        _index = new ReplacedIndex();
        var io = new RecordingStorageIo();
        _index.Build(io);
        _operations = io.Operations;
        _rename = Enumerable.Range(0, _operations.Count).Single(i => _operations[i].Kind == StorageOperationKind.Rename);
    }

    [OneTimeTearDown]
    public void RemoveIndex() => _index.Dispose();

    /// <summary>Power is lost at a moment of the build, and a part of what was not synced with it.</summary>
    /// <param name="every">One in this many moments before the rename, and each from there on; each of all in the heavy case.</param>
    /// <param name="share">One in this many losses of a moment; each of all in the heavy case.</param>
    [TestCase(5, 5)]
    [TestCase(1, 1, Category = "Heavy")]
    public void After_any_loss_the_old_index_or_the_new_one_opens(int every, int share)
    {
        Random random = RandomizedTest.Start();
        var disk = new PowerLoss(_index.Directory, _index.Old, _operations);
        var seen = new HashSet<(bool Renamed, IndexOutcome Outcome)>();
        int losses = 0;
        for (int end = 0; end <= _operations.Count; end++)
        {
            if (end < _rename && end % every != 0)
                continue;
            foreach (Dictionary<int, int> kept in OneIn(share, Losses(disk, end, random)))
            {
                IndexOutcome outcome = _index.ExamineOnce(disk.Files(end, kept), Describe(disk, end, kept), cleansUp: true);
                seen.Add((end > _rename, outcome));
                losses++;
            }
        }

        Assert.That(
            seen,
            Is.EquivalentTo(new[] { (false, IndexOutcome.Old), (true, IndexOutcome.Old), (true, IndexOutcome.New) }),
            "the old index until the rename; then either of them");
        FaultTally.Report("losses of power", losses, atLeast: 600 / every / share);
    }

    [TestCase(5)]
    [TestCase(1, Category = "Heavy")]
    public void A_build_that_has_returned_is_not_lost(int share)
    {
        var disk = new PowerLoss(_index.Directory, _index.Old, _operations);
        foreach (Dictionary<int, int> kept in OneIn(share, Losses(disk, _operations.Count, RandomizedTest.Start())))
            Assert.That(Examine(disk, _operations.Count, kept, out string context), Is.EqualTo(IndexOutcome.New), context);
    }

    [Test]
    public void A_first_build_that_loses_power_leaves_no_index_or_the_whole_index()
    {
        Random random = RandomizedTest.Start();
        _index.Restore(new Dictionary<string, byte[]>());
        var io = new RecordingStorageIo();
        _index.Build(io);
        var disk = new PowerLoss(_index.Directory, new Dictionary<string, byte[]>(), io.Operations);
        for (int end = 0; end <= io.Operations.Count; end++)
        {
            foreach (Dictionary<int, int> kept in Losses(disk, end, random))
            {
                IndexOutcome outcome = Examine(disk, end, kept, out string context);
                Assert.That(
                    outcome, Is.EqualTo(IndexOutcome.New).Or.EqualTo(end < io.Operations.Count ? IndexOutcome.None : IndexOutcome.New),
                    context);
            }
        }
    }

    [Test]
    public void The_clean_up_after_a_death_between_rename_and_sync_keeps_an_index()
    {
        Random random = RandomizedTest.Start();

        // The build dies right after the rename; the next build deletes the old files; then the power fails.
        _index.Restore(_index.Old);
        var dying = new FaultyStorageIo(StorageFault.Death, AfterRename());
        Assert.That(() => _index.Build(dying), Throws.TypeOf<ProcessDeathException>());
        var cleaning = new RecordingStorageIo();
        IndexDirectory.DeleteLeftovers(_index.Directory, IndexDirectory.ReadManifest(_index.Directory), cleaning);
        StorageOperation[] all = [.. _operations.Take(_rename + 1), .. cleaning.Operations];
        Assert.That(
            cleaning.Operations.Count(operation => operation.Kind == StorageOperationKind.Delete), Is.EqualTo(6),
            "the files, and no temporary manifest");

        var disk = new PowerLoss(_index.Directory, _index.Old, all);
        for (int end = _rename; end <= all.Length; end++)
        {
            foreach (Dictionary<int, int> kept in Losses(disk, end, random))
                Assert.That(
                    Examine(disk, end, kept, out string context), Is.EqualTo(IndexOutcome.Old).Or.EqualTo(IndexOutcome.New), context);
        }
    }

    [TestCase(7)]
    [TestCase(1, Category = "Heavy")]
    public void A_disk_that_lies_about_syncs_may_lose_the_index_but_gives_no_wrong_answer(int share)
    {
        Random random = RandomizedTest.Start();
        var disk = new PowerLoss(_index.Directory, _index.Old, _operations, syncsHold: false);
        var seen = new HashSet<IndexOutcome>();
        for (int end = _rename; end <= _operations.Count; end++)
        {
            foreach (Dictionary<int, int> kept in OneIn(share, Losses(disk, end, random)))
                seen.Add(Examine(disk, end, kept, out _));
        }

        Assert.That(
            seen, Is.EquivalentTo(new[] { IndexOutcome.Old, IndexOutcome.New, IndexOutcome.Corrupt }),
            "the loss of files is detected");
    }

    [Test]
    public void A_directory_that_a_build_creates_is_durable_before_its_index_is()
    {
        _index.Restore(new Dictionary<string, byte[]>());
        var io = new RecordingStorageIo();
        _index.Build(io);
        List<StorageOperation> operations = [.. io.Operations];
        int created = operations.FindIndex(operation => operation.Kind == StorageOperationKind.CreateDirectory);
        int synced = operations.FindIndex(
            operation => operation.Kind == StorageOperationKind.SyncDirectory && operation.Name == Path.GetDirectoryName(_index.Directory));
        int renamed = operations.FindIndex(operation => operation.Kind == StorageOperationKind.Rename);
        Assert.That((created, synced), Is.EqualTo((0, 1)));
        Assert.That(renamed, Is.GreaterThan(synced));
    }

    /// <summary>The operation after the rename of the manifest and before the sync of the directory.</summary>
    private int AfterRename() => _rename + 1;

    private IndexOutcome Examine(PowerLoss disk, int end, Dictionary<int, int> kept, out string context)
    {
        Dictionary<string, byte[]> files = disk.Files(end, kept);
        context = Describe(disk, end, kept);
        return _index.ExamineOnce(files.Count > 0 ? files : null, context);
    }

    private static string Describe(PowerLoss disk, int end, Dictionary<int, int> kept)
    {
        string next = end < disk.Operations.Count ? $"{disk.Operations[end]}" : "the end";
        return
            $"power lost before operation {end} ({next}); kept without a sync: "
            + $"{string.Join("; ", kept.Where(k => k.Value > 0).Select(k => $"{k.Key} ({k.Value} bytes at most)"))}";
    }

    /// <summary>Every n-th of some losses. They come in threes and in powers of two: n shares no factor with these.</summary>
    private static IEnumerable<Dictionary<int, int>> OneIn(int n, IEnumerable<Dictionary<int, int>> losses) =>
        losses.Where((_, i) => i % n == 0);

    /// <summary>The combinations of operations that a loss of power keeps.</summary>
    /// <remarks>
    /// If few operations can be lost: all combinations, then their writes cut at every sector. Otherwise: every prefix, each one lost by
    /// itself, each one kept by itself, random combinations, and each write cut at a random sector.
    /// </remarks>
    private static IEnumerable<Dictionary<int, int>> Losses(PowerLoss disk, int end, Random random)
    {
        const int FewEnough = 5;
        const int RandomOnes = 12;
        int[] losable = disk.Losable(end);
        int n = losable.Length;
        if (n <= FewEnough)
        {
            for (int mask = 0; mask < 1 << n; mask++)
                yield return Keep(i => (mask >> i & 1) != 0);
        }
        else
        {
            for (int i = 0; i < n; i++)
            {
                int at = i;
                yield return Keep(other => other < at);
                yield return Keep(other => other != at);
                yield return Keep(other => other == at);
            }

            yield return Keep(_ => true);
            for (int i = 0; i < RandomOnes; i++)
            {
                int bits = random.Next();
                yield return Keep(other => (bits >> other % 31 & 1) != 0);
            }
        }

        foreach (int write in losable)
        {
            int sectors = ((disk.Operations[write].Bytes?.Length ?? 0) - 1) / Sector;
            foreach (int cut in n <= FewEnough || sectors == 0 ? Enumerable.Range(1, sectors) : [random.Next(1, sectors + 1)])
            {
                Dictionary<int, int> kept = Keep(_ => true);
                kept[write] = cut * Sector;
                yield return kept;
            }
        }

        Dictionary<int, int> Keep(Func<int, bool> keeps) =>
            Enumerable.Range(0, n).ToDictionary(i => losable[i], i => keeps(i) ? int.MaxValue : 0);
    }
}
