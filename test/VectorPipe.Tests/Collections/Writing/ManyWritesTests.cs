using NUnit.Framework;
using VectorPipe.Collections.Writing;
using VectorPipe.Searching.Index;
using VectorPipe.Storage.Keys;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Tests.Collections.Writing;

/// <summary>Many writes at once: they wait, and are neither lost nor refused.</summary>
[TestFixture]
public sealed class ManyWritesTests
{
    private static readonly CollectionSchema _schema = new() { Dimension = 2, Metric = DistanceMetric.L2 };

    [Test]
    public async Task Writes_are_not_refused_because_few_searches_may_wait()
    {
        using var folder = new CollectionDirectory();
        CollectionOptions options = CollectionDirectory.Options with
        {
            Open = CollectionDirectory.Options.Open! with { MaxQueuedQueries = 1, QueriesInFlight = 1 },
        };
        await using VectorCollection<int> collection = await folder.OpenAsync<int>(options, schema: _schema);
        await collection.WriteAsync(Batch(batch => batch.Upsert(0, new float[] { 1, 2 })));
        for (int first = 0; first < 2000; first += 500)
        {
            int from = first;
            await collection.WriteAsync(Batch(batch =>
            {
                for (int key = from; key < from + 500; key++)
                    batch.Upsert(key, new float[] { 1, key });
            }));
        }

        await collection.CompactAsync();
        await collection.WriteAsync(Batch(batch =>
        {
            for (int key = 0; key < 2000; key += 2)
                batch.Delete(key);
        }));
        Assert.That(collection.Count, Is.EqualTo(1000));

        WriteBatch<int> Batch(Action<WriteBatch<int>> fill)
        {
            WriteBatch<int> batch = collection.CreateBatch();
            fill(batch);
            return batch;
        }
    }

    [Test]
    public async Task Writes_that_find_no_thread_start_one()
    {
        using var folder = new CollectionDirectory();
        CollectionOptions options = CollectionDirectory.Options with
        {
            Tuning = CollectionDirectory.Options.Tuning with { WriterIdle = TimeSpan.Zero },
        };
        await using VectorCollection<int> collection = await folder.OpenAsync<int>(options, schema: _schema);
        await Task.WhenAll(Enumerable.Range(0, 8).Select(async writer =>
        {
            var random = new Random(writer);
            for (int key = writer * 50; key < (writer + 1) * 50; key++)
            {
                await collection.UpsertAsync(key, new float[] { 1, key });
                if (random.Next(2) == 0)
                    await Task.Yield();
            }
        }));
        Assert.That(collection.Count, Is.EqualTo(400));
    }

    /// <remarks>The look-ups of the thread that had ended were its own: every write of a key that was a number failed.</remarks>
    [Test]
    public async Task Writes_go_on_after_a_pause_in_which_the_thread_has_ended()
    {
        using var folder = new CollectionDirectory();
        CollectionOptions options = CollectionDirectory.Options with
        {
            Tuning = CollectionDirectory.Options.Tuning with { WriterIdle = TimeSpan.Zero },
        };
        await using VectorCollection<int> collection = await folder.OpenAsync<int>(options, schema: _schema);
        for (int key = 0; key < 10; key++)
            await collection.UpsertAsync(key, new float[] { 1, key });
        await collection.CompactAsync();
        for (int round = 0; round < 3; round++)
        {
            Assert.That(SpinWait.SpinUntil(() => !collection.Store.Writer!.HasThread, HangBound.Patience), "the thread ends");
            await collection.UpsertAsync(round, new float[] { 2, round });
            Assert.That(await collection.DeleteAsync(9 - round), Is.True);
        }

        Assert.That(collection.Count, Is.EqualTo(7));
    }

    [Test]
    public async Task A_damaged_page_fails_the_writes_that_need_it_and_no_others_of_their_group()
    {
        const int Count = 600;
        using var folder = new CollectionDirectory();
        await using VectorCollection<int> collection = await folder.OpenAsync<int>(schema: _schema);
        for (int key = 0; key < Count; key++)
            await collection.UpsertAsync(key, new float[] { 1, key });
        await collection.CompactAsync();
        SearchIndex index = collection.Store.State.View.Generation!.Index.Contents;
        KeyDirectoryShape shape = index.Keys.Directory.Shape;
        Assert.That(shape.Buckets, Is.GreaterThan(1));
        using (FileStream file = File.Open(index.KeysPath, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite))
        {
            file.Position = (KeyDirectoryShape.FirstPage(0) * PageCodec.PageUnit) + 2000;
            int before = file.ReadByte();
            file.Position--;
            file.WriteByte((byte)(before ^ 1));
        }

        CollectionWriter writer = collection.Store.Writer!;
        writer.Hold(HoldReason.Rebuild);
        Task[] writes = [.. Enumerable.Range(0, Count).Select(key => collection.UpsertAsync(key, new float[] { 2, key }))];
        writer.GoOn(HoldReason.Rebuild);
        for (int key = 0; key < Count; key++)
        {
            Task write = writes[key];
            if (shape.BucketOf((ulong)key) == 0)
                Assert.That(async () => await write, Throws.TypeOf<IndexCorruptException>(), $"key {key}");
            else
                Assert.That(async () => await write, Throws.Nothing, $"key {key}");
        }

        Assert.That(collection.Status.IsReadOnly, Is.False);
        Assert.That(collection.Count, Is.EqualTo(Count));
    }

    [Test]
    public void The_bytes_of_any_number_of_writes_are_counted()
    {
        var write = new WriteOperation(WriteKind.Upsert, 1, [], new byte[8], new byte[1 << 20]);
        var request = new WriteRequest([.. Enumerable.Repeat(write, 2050)]);
        Assert.That(() => request.LogBytes, Is.EqualTo(2050L * ((1 << 20) + 8 + GroupCodec.HeaderBytes)));
    }
}
