using NUnit.Framework;
using VectorPipe.Storage.Generations;

namespace VectorPipe.Tests.Crash;

/// <summary>A recorded build: the operations before a death determine the files that the death leaves.</summary>
internal sealed class RecordedBuild
{
    private readonly PowerLoss _disk;

    /// <summary>Records a build of the new index.</summary>
    /// <param name="index">The place of the build.</param>
    /// <param name="before">The files before the build.</param>
    public RecordedBuild(ReplacedIndex index, IReadOnlyDictionary<string, byte[]> before)
    {
        index.Restore(before);
        var io = new RecordingStorageIo();
        index.Build(io);
        _disk = new PowerLoss(index.Directory, before, io.Operations);
    }

    /// <summary>Operations of the build, the lock included.</summary>
    public int Count => _disk.Operations.Count;

    /// <summary>Whether a death during an operation leaves other files than a death before it.</summary>
    public bool IsWrite(int k) => _disk.Operations[k].IsWrite;

    /// <summary>Describes a death at an operation.</summary>
    public string Describe(StorageFault death, int k) => $"{death} at operation {k} of {Count}: {_disk.Operations[k]}";

    /// <summary>The files that a build leaves if it dies at an operation; null without a directory.</summary>
    /// <remarks>A process that dies loses no write that the system has accepted, synced or not.</remarks>
    public Dictionary<string, byte[]>? FilesAfter(StorageFault death, int k)
    {
        bool isTorn = death == StorageFault.DeathInWrite && IsWrite(k);
        byte[] half = isTorn ? _disk.Operations[k].Bytes![..(_disk.Operations[k].Bytes!.Length / 2)] : [];
        Dictionary<string, byte[]> files = _disk.Files(
            isTorn ? k + 1
            : k, isTorn ? new Dictionary<int, int> { [k] = half.Length }
            : new Dictionary<int, int>());
        StorageOperation[] done = [.. _disk.Operations.Take(k)];
        foreach (StorageOperation operation in done.Where(operation => operation.Kind == StorageOperationKind.Lock))
            files[WriteLock.Name] = operation.Bytes ?? files.GetValueOrDefault(WriteLock.Name, []);
        if (isTorn && _disk.Operations[k].Kind == StorageOperationKind.Lock)
            files[WriteLock.Name] = half;
        return files.Count > 0 || done.Any(operation => operation.Kind == StorageOperationKind.CreateDirectory) ? files : null;
    }

    /// <summary>Lets a real build die at the same operation, and asserts that it leaves the recorded files.</summary>
    public void AssertReplayIsTrue(ReplacedIndex index, IReadOnlyDictionary<string, byte[]> before, StorageFault death, int k)
    {
        index.Restore(before);
        Assert.That(() => index.Build(new FaultyStorageIo(death, k)), Throws.InstanceOf<Exception>(), Describe(death, k));
        Dictionary<string, byte[]> left = index.Snapshot(), replayed = FilesAfter(death, k) ?? [];
        Assert.That(left.Keys, Is.EquivalentTo(replayed.Keys), Describe(death, k));

        // A writer puts a random number into its lock.
        foreach ((string name, byte[] bytes) in left.Where(file => file.Key != WriteLock.Name))
            Assert.That(bytes.AsSpan().SequenceEqual(replayed[name]), Is.True, $"{name} after {Describe(death, k)}");
    }
}
