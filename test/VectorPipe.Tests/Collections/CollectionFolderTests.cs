using NUnit.Framework;
using VectorPipe.Storage.Generations;
using VectorPipe.Tests.Collections.Crash;
using VectorPipe.Tests.Crash;

namespace VectorPipe.Tests.Collections;

/// <summary>What a writer deletes in the directory of a collection, and what it leaves.</summary>
[TestFixture]
public sealed class CollectionFolderTests
{
    [Test]
    public async Task What_only_looks_like_a_generation_stays()
    {
        using var folder = new CollectionDirectory();
        await CheckpointSizes.Vectors.RestoreAsync(folder.Path);
        string[] others = ["generation-000001.bak", "generation-1", "generation-"];
        foreach (string other in others)
        {
            Directory.CreateDirectory(Path.Combine(folder.Path, other));
            await File.WriteAllTextAsync(Path.Combine(folder.Path, other, "x"), "x");
        }

        await using VectorCollection<ulong> collection = await OpenAsync(folder.Path);
        Assert.That(others.Select(other => File.Exists(Path.Combine(folder.Path, other, "x"))), Is.All.True);
    }

    [Test]
    public async Task A_left_over_generation_that_cannot_be_deleted_is_left()
    {
        using var folder = new CollectionDirectory();
        await CheckpointSizes.Vectors.RestoreAsync(folder.Path);
        Directory.CreateDirectory(Path.Combine(folder.Path, "generation-000099", "of others"));
        await using VectorCollection<ulong> collection = await OpenAsync(folder.Path);
        Assert.That(collection.Count, Is.EqualTo(CheckpointSizes.Count));
        Assert.That(await collection.CompactAsync(), Is.False, "nothing has changed");
    }

    [Test]
    public async Task A_lock_that_cannot_be_read_for_a_while_fails_a_checkpoint_and_no_write()
    {
        using var folder = new CollectionDirectory();
        await CheckpointSizes.Vectors.RestoreAsync(folder.Path);
        await using VectorCollection<ulong> collection = await OpenAsync(folder.Path);
        await CheckpointSizes.Vectors.Records.UpsertAsync(collection, 1, 7);
        string path = Path.Combine(folder.Path, WriteLock.Name), aside = Path.Combine(folder.Path, "aside");
        File.Move(path, aside);
        Directory.CreateDirectory(path);
        await Assert.ThrowsAsync<IndexWriteException>(() => collection.CompactAsync());
        Assert.That(collection.Status.IsReadOnly, Is.False);
        Directory.Delete(path);
        File.Move(aside, path);
        await CheckpointSizes.Vectors.Records.UpsertAsync(collection, 2, 7);
        Assert.That(await collection.CompactAsync());
    }

    [TestCase(true)]
    [TestCase(false)]
    public async Task A_collection_is_deleted_unless_somebody_writes_to_it(bool hasOthers)
    {
        using var folder = new CollectionDirectory();
        string directory = Path.Combine(folder.Path, "c");
        await CheckpointSizes.Vectors.RestoreAsync(directory);
        if (hasOthers)
            await File.WriteAllTextAsync(Path.Combine(directory, "notes"), "mine");
        await using (await OpenAsync(directory))
        {
            Assert.That(() => VectorCollection.Delete(directory), Throws.TypeOf<IndexWriteException>());
            Assert.That(VectorCollection.Exists(directory));
        }

        Assert.That(VectorCollection.Delete(directory));
        Assert.That(VectorCollection.Exists(directory), Is.False);
        Assert.That(Directory.Exists(directory), Is.EqualTo(hasOthers), "files of others stay");
        Assert.That(VectorCollection.Delete(directory), Is.False);
        Assert.That(VectorCollection.Delete(Path.Combine(folder.Path, "none")), Is.False);
    }

    [Test]
    public async Task A_deletion_that_stopped_is_made_again()
    {
        using var folder = new CollectionDirectory();
        string directory = Path.Combine(folder.Path, "c");
        await CheckpointSizes.Vectors.RestoreAsync(directory);
        File.Delete(Path.Combine(directory, "COLLECTION"));
        Assert.That(VectorCollection.Delete(directory));
        Assert.That(Directory.Exists(directory), Is.False);
    }

    private static Task<VectorCollection<ulong>> OpenAsync(string directory) =>
        CrashScript<ulong>.OpenAsync(directory, CheckpointSizes.Vectors.Records, new UnsyncedStorageIo(refuses: false));
}
