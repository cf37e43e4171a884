using System.Diagnostics;
using NUnit.Framework;
using VectorPipe.Diagnostics;
using VectorPipe.Storage;

namespace VectorPipe.Tests.Crash;

/// <summary>Every operation on storage that a build performs is made to fail, one after another.</summary>
[TestFixture(IndexKind.Graph)]
[TestFixture(IndexKind.Ivf)]
public sealed class BuildFaultTests
{
    private readonly IndexKind _kind;
    private ReplacedIndex _index = null!;
    private IReadOnlyDictionary<string, byte[]> _before = null!;

    public BuildFaultTests(IndexKind kind) => _kind = kind;

    [SetUp]
    public void BuildOldIndex()
    {
        _index = new ReplacedIndex(kind: _kind);
        _before = _index.Old;
    }

    [TearDown]
    public void RemoveIndex() => _index.Dispose();

    [Test]
    public void A_build_that_dies_at_any_operation_leaves_the_old_index_or_the_new_one([Values(StorageFault.Death, StorageFault.DeathInWrite)] StorageFault death)
    {
        var seen = new HashSet<IndexOutcome>();
        for (int k = 0; Die(death, k) is { } context; k++)
        {
            IndexOutcome outcome = _index.Examine(context);
            Assert.That(outcome, Is.EqualTo(IndexOutcome.Old).Or.EqualTo(IndexOutcome.New), context);
            _index.AssertNoLeftovers(context);
            seen.Add(outcome);
        }

        Assert.That(seen, Is.EquivalentTo(new[] { IndexOutcome.Old, IndexOutcome.New }), "some deaths came before the rename and some after it");
    }

    [Test]
    public void A_first_build_that_dies_at_any_operation_leaves_no_index_or_the_whole_index()
    {
        _before = new Dictionary<string, byte[]>();
        for (int k = 0; Die(StorageFault.Death, k) is { } context; k++)
        {
            bool published = File.Exists(Path.Combine(_index.Directory, IndexDirectory.ManifestName));
            Assert.That(_index.Examine(context), Is.EqualTo(published ? IndexOutcome.New : IndexOutcome.None), context);
            _index.Build();
            Assert.That(_index.Examine(context), Is.EqualTo(IndexOutcome.New), context);
            _index.AssertNoLeftovers(context);
        }
    }

    [Test]
    public void A_build_that_dies_after_another_has_died_leaves_the_old_index_or_the_new_one()
    {
        // The lock, the sync and the deletions: what comes after them repeats what one death has shown.
        const int CleanUp = 6;
        int operations = Count();
        for (int first = 0; first < operations; first++)
        {
            for (int second = 0; second < CleanUp; second++)
            {
                _before = _index.Old;
                Die(StorageFault.Death, first);
                _before = _index.Snapshot();
                string context = $"after {Die(StorageFault.Death, second)}, the death before it at operation {first}";
                Assert.That(_index.Examine(context), Is.EqualTo(IndexOutcome.Old).Or.EqualTo(IndexOutcome.New), context);
                _index.AssertNoLeftovers(context);
            }
        }
    }

    [Test]
    public void An_error_at_any_operation_leaves_the_old_index_or_the_new_one_and_is_typed(
        [Values(StorageFault.IoError, StorageFault.DiskFull, StorageFault.ShortWrite)] StorageFault fault, [Values] bool always)
    {
        int operations = Count();
        for (int k = 0; k < operations; k++)
        {
            _index.Restore(_before);
            var io = new FaultyStorageIo(fault, k, always);
            Exception? error = Catch(() => _index.Build(io));
            string context = $"{fault} at {io.Failed}, ending in {error?.Message ?? "success"}";
            Assert.That(error, Is.Null.Or.TypeOf<IndexWriteException>(), context);
            IndexOutcome outcome = _index.Examine(context);
            Assert.That(outcome, Is.EqualTo(IndexOutcome.Old).Or.EqualTo(IndexOutcome.New), context);
            if (error is null)
                Assert.That(outcome, Is.EqualTo(IndexOutcome.New), $"a build that succeeded is there: {context}");
            _index.AssertNoLeftovers(context);
        }
    }

    [Test]
    public void An_error_at_any_operation_is_cleaned_up_by_the_build_itself()
    {
        int operations = Count();
        for (int k = 0; k < operations; k++)
        {
            _index.Restore(_before);
            var io = new FaultyStorageIo(StorageFault.DiskFull, k);
            if (Catch(() => _index.Build(io)) is null || IndexDirectory.ReadManifest(_index.Directory).Generation > 1)
                continue;
            _index.AssertNoLeftovers($"at {io.Failed}");
        }
    }

    [Test]
    public void A_sync_that_fails_once_fails_the_build()
    {
        int failed = 0, syncs = 0;
        int operations = Count();
        for (int k = 0; k < operations; k++)
        {
            _index.Restore(_before);
            var io = new FaultyStorageIo(StorageFault.IoError, k);
            Exception? error = Catch(() => _index.Build(io));
            if (!io.Failed!.Contains(": sync", StringComparison.Ordinal))
                continue;
            syncs++;
            failed += error is IndexWriteException ? 1 : 0;
        }

        // Five files and the manifest; the directory before the rename, after it, and before the old files are deleted. The build is done by the last.
        Assert.That((syncs, failed), Is.EqualTo((9, 8)));
    }

    [Test]
    public void A_first_build_that_fails_leaves_nothing_behind()
    {
        _before = new Dictionary<string, byte[]>();
        _index.Restore(_before);
        int operations = Count();

        // Until it holds the lock, a build does not know whether it is alone: the directory that it has created stays.
        const int CreatesSyncsAndLocks = 3;
        for (int k = CreatesSyncsAndLocks; k < operations; k++)
        {
            _index.Restore(_before);
            var io = new FaultyStorageIo(StorageFault.DiskFull, k);
            Exception? error = Catch(() => _index.Build(io));
            if (_index.Examine(io.Failed!) == IndexOutcome.None)
                Assert.That(Directory.Exists(_index.Directory), Is.False, $"{io.Failed}: {error?.Message}");
        }
    }

    /// <summary>Lets a build die at operation k over the state before it. Null if the build has ended before; else what happened.</summary>
    private string? Die(StorageFault death, int k)
    {
        _index.Restore(_before);
        var io = new FaultyStorageIo(death, k);
        Exception? error = Catch(() => _index.Build(io));
        Debug.Assert(error is null or ProcessDeathException or VectorPipeException, "only deaths and typed errors end a build");
        return io.Failed;
    }

    private int Count()
    {
        _index.Restore(_before);
        var io = new FaultyStorageIo(StorageFault.IoError, int.MaxValue);
        _index.Build(io);
        Assert.That(io.Operations, Is.GreaterThan(15), "the operations of a build pass through the seam");
        return io.Operations;
    }

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
