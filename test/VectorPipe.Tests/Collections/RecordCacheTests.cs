using System.Collections.Concurrent;
using System.Diagnostics;
using NUnit.Framework;
using VectorPipe.Tests.Crash;

namespace VectorPipe.Tests.Collections;

/// <summary>Memory for pages that the index leaves is for pages of records; without it, those of a search are read side by side.</summary>
[TestFixture]
public sealed class RecordCacheTests
{
    private static readonly CollectionSchema _schema = new() { Dimension = 3, Metric = DistanceMetric.L2 };

    [TestCase(0L, false)]
    [TestCase(1L << 16, false, Description = "less than the files of the index")]
    [TestCase(1L << 30, true)]
    public async Task Hits_of_texts_as_keys_are_read_once_if_there_is_room(long cacheBytes, bool isKept)
    {
        using var folder = new CollectionDirectory();
        await FillAsync(folder);

        var reads = new ConcurrentBag<string>();
        var io = new WatchedStorageIo(static _ => { }) { BeforeRead = path => reads.Add(Path.GetFileName(path)) };
        CollectionOptions options = CollectionDirectory.Options with { Open = new OpenOptions { CacheBytes = cacheBytes } };
        await using VectorCollection<string> again = await folder.OpenAsync<string>(options, schema: _schema, io: io);
        await SearchAsync(again);
        reads.Clear();
        await SearchAsync(again);
        Assert.That(reads.Where(name => name.StartsWith("record", StringComparison.Ordinal)), isKept ? Is.Empty : Is.Not.Empty);

        // Later records are other files, with other pages of the same numbers.
        await WriteAsync(again, 200, 600);
        await again.CompactAsync();
        await SearchAsync(again);
        await SearchAsync(again);
    }

    [Test]
    public async Task Hits_on_a_slow_disk_are_read_side_by_side()
    {
        using var folder = new CollectionDirectory();
        await FillAsync(folder);

        bool isSlow = false;
        var begun = new ConcurrentBag<string>();
        var io = new WatchedStorageIo(static _ => { })
        {
            BeforeRead = _ => SpinFor(isSlow ? TimeSpan.FromMicroseconds(100) : TimeSpan.Zero),
            BeginsRead = path => begun.Add(Path.GetFileName(path)),
        };
        await using VectorCollection<string> again = await folder.OpenAsync<string>(schema: _schema, io: io);
        isSlow = true;
        await SearchAsync(again);
        int first = begun.Count;

        // The first search begins reads for two of its three hits, the nine others for all: a page of the directory, and one of the record.
        Assert.That(first, Is.EqualTo((2 * 2) + (9 * 2 * 3)));
        Assert.That(begun, Has.All.StartsWith("record"));

        // A cursor looks ahead as far as hits are asked for.
        CollectionCursor<string> cursor = again.OpenSearch<float>(
            new float[] { 7, 1, 2 }, new SearchOptions { Mode = SearchMode.Exact }, Include.Payload);
        string[] next = [.. (await cursor.NextAsync(30)).Concat(await cursor.NextAsync(5)).Select(hit => hit.Key)];
        Assert.That(next, Is.EquivalentTo(Enumerable.Range(0, 35).Select(i => $"key {i}")));
        Assert.That(begun, Has.Count.EqualTo(first + (2 * 35)));
        begun.Clear();

        // What checkpoints move is read from their files.
        await WriteAsync(again, 0, 40);
        await again.CompactAsync();
        await WriteAsync(again, 0, 20);
        await SearchAsync(again);
        Assert.That(begun, Is.Not.Empty);
    }

    [Test]
    public async Task An_engine_counts_it()
    {
        using var folder = new CollectionDirectory();
        await FillAsync(folder);

        await using var engine = new VectorPipeEngine(new VectorPipeEngineOptions { SearchThreads = 1 });
        long without = await OpenAsync(0), little = await OpenAsync(4096), with = await OpenAsync(1L << 30);
        Assert.That(little - without, Is.LessThanOrEqualTo(4096));
        long files = new DirectoryInfo(folder.Path).GetFiles("*", SearchOption.AllDirectories).Sum(file => file.Length);
        Assert.That(with - without, Is.GreaterThan(8 * 4096).And.LessThan(3 * files));
        Assert.That(engine.MemoryBytes, Is.Zero, "given back");

        async Task<long> OpenAsync(long cacheBytes)
        {
            var open = new OpenOptions { CacheBytes = cacheBytes, Engine = engine };
            await using VectorCollection<string> again = await folder.OpenAsync<string>(
                CollectionDirectory.Options with { Open = open }, schema: _schema);
            return engine.MemoryBytes;
        }
    }

    private static async Task FillAsync(CollectionDirectory folder)
    {
        await using VectorCollection<string> collection = await folder.OpenAsync<string>(schema: _schema);
        await WriteAsync(collection, 0, 400);
        await collection.CompactAsync();
    }

    private static void SpinFor(TimeSpan time)
    {
        long from = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(from) < time)
            Thread.SpinWait(10);
    }

    private static async Task WriteAsync(VectorCollection<string> collection, int first, int end)
    {
        WriteBatch<string> batch = collection.CreateBatch();
        for (int i = first; i < end; i++)
            batch.Upsert($"key {i}", new float[] { i, 1, 2 }, payload: new byte[] { (byte)i, (byte)first });
        await collection.WriteAsync(batch);
    }

    private static async Task SearchAsync(VectorCollection<string> collection)
    {
        for (int i = 0; i < 400; i += 40)
        {
            CollectionResult<string> found = await collection.SearchAsync<float>(
                new float[] { i, 1, 2 }, 3, new SearchOptions { Mode = SearchMode.Exact }, Include.Payload);
            Assert.That(found[0].Key, Is.EqualTo($"key {i}"));
            Assert.That(found[0].Payload.Span[0], Is.EqualTo((byte)i));
        }
    }
}
