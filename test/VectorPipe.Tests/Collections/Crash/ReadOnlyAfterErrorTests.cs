using NUnit.Framework;
using VectorPipe.Tests.Collections.Checkpoints;
using VectorPipe.Tests.Crash;

namespace VectorPipe.Tests.Collections.Crash;

/// <summary>After an error of the log everything that only reads goes on.</summary>
[TestFixture]
public sealed class ReadOnlyAfterErrorTests
{
    private static readonly SearchOptions _exact = new() { Mode = SearchMode.Exact };

    [Test]
    public async Task Searches_look_ups_scans_and_exports_go_on()
    {
        bool fails = false;
        var io = new WatchedStorageIo(path =>
        {
            if (Volatile.Read(ref fails) && Path.GetFileName(path).StartsWith("log-", StringComparison.Ordinal))
                throw new IOException("Input/output error");
        });
        await using ChangingCollection model = await ChangingCollection.BuildAsync(91, 1100, io: io);
        await model.WriteAsync(Enumerable.Range(1090, 20), Enumerable.Range(0, 10));
        var acknowledged = new Dictionary<int, byte[]>(model.Records);
        Volatile.Write(ref fails, true);

        // It is in memory, and never becomes visible.
        Assert.That(
            () => model.WriteAsync(Enumerable.Range(1100, 30), Enumerable.Range(20, 30)), Throws.TypeOf<IndexWriteException>());
        Assert.That(model.Collection.Status.IsReadOnly);
        Assert.That(() => model.Collection.DeleteAsync(12), Throws.TypeOf<IndexWriteException>());
        await model.CheckAsync(model.Collection, acknowledged, "after the error");
        Assert.That(await model.Collection.SearchNearAsync(12, 3, _exact), Has.Count.EqualTo(3));
        using var exported = new CollectionDirectory();
        await model.Collection.ExportAsync(exported.Path);
        using VectorIndex index = VectorIndex.Open(exported.Path);
        Assert.That(index.Info.Count, Is.EqualTo(acknowledged.Count));
        foreach ((int key, byte[] vector) in acknowledged)
            Assert.That((await index.GetAsync((ulong)key))!.GetVector<byte>().ToArray(), Is.EqualTo(vector));
    }
}
