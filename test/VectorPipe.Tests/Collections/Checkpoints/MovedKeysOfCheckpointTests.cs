using NUnit.Framework;
using VectorPipe.Collections.Checkpoints;
using VectorPipe.Collections.Waiting;
using VectorPipe.Tests.Crash;

namespace VectorPipe.Tests.Collections.Checkpoints;

/// <summary>Keys that a checkpoint moves lead to their new nodes at once: look-ups go on while it puts them in force.</summary>
[TestFixture]
public sealed class MovedKeysOfCheckpointTests
{
    [Test]
    public async Task A_key_that_is_replaced_is_moved_once_to_its_new_node()
    {
        await using ChangingCollection model = await ChangingCollection.BuildAsync(81, 1100);
        var pace = new CheckpointPace(static () => double.PositiveInfinity, static () => 0, default);
        using var checkpoint = new GraphCheckpoint(
            model.View.Generation!.Index, null, 1, 2, new UnsyncedStorageIo(refuses: false), pace, default);
        foreach (int key in new[] { 7, 9 })
            checkpoint.Delete((ulong)key, (await model.View.Generation!.Index.NodeOfAsync((ulong)key))!.Value);
        Assert.That(checkpoint.TryAdd([new WaitingRecord(7, model.Next(), []), new WaitingRecord(2000, model.Next(), [])]));
        Assert.That(checkpoint.Moved.Keys, Is.EquivalentTo(new ulong[] { 7, 9, 2000 }), "each key once");
        Assert.That(checkpoint.Moved[9], Is.Null, "it was deleted");
        foreach (ulong key in new ulong[] { 7, 2000 })
            Assert.That(checkpoint.Changes.IsLive(checkpoint.Moved[key]!.Value), $"key {key} has a new node");
    }
}
