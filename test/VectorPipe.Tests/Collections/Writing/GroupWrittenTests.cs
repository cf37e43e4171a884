using NUnit.Framework;
using VectorPipe.Collections.Writing;

namespace VectorPipe.Tests.Collections.Writing;

/// <summary>Maintenance hears of a group before its callers do, so that they can wait for what they made due.</summary>
[TestFixture]
public sealed class GroupWrittenTests
{
    [Test]
    public async Task No_write_is_acknowledged_or_refused_before([Values] bool isRefused)
    {
        using var folder = new CollectionDirectory();
        await using VectorCollection<int> collection = await folder.OpenAsync<int>(
            CollectionDirectory.Options, schema: new CollectionSchema { Dimension = 1, ElementType = VectorElementType.UInt8 });
        CollectionWriter writer = collection.Store.Writer!;
        var refusal = new IndexWriteException("made to be refused");
        writer.InsertionsRefused = () => isRefused ? refusal : null;
        var request = new WriteRequest([new WriteOperation(WriteKind.Upsert, 7, [], [1], [])]);
        bool? wasEnded = null;
        writer.GroupWritten = () => wasEnded ??= request.Task.IsCompleted;
        Task written = writer.WriteAsync(request);
        if (isRefused)
            Assert.That((await Assert.ThrowsAsync<IndexWriteException>(() => written)).Message, Is.EqualTo(refusal.Message));
        else
            await written;
        Assert.That(wasEnded, Is.False);
        Assert.That(collection.Count, Is.EqualTo(isRefused ? 0 : 1));
    }
}
