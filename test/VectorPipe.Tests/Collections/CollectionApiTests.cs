using NUnit.Framework;

namespace VectorPipe.Tests.Collections;

/// <summary>What a user sees of a collection: creation, refusals, sizes, results.</summary>
[TestFixture]
[Parallelizable(ParallelScope.Children)]
public class CollectionApiTests
{
    private static readonly CollectionSchema _schema = new() { Dimension = 3 };

    [TestCase(0)]
    [TestCase(1)]
    [TestCase(5)]
    [TestCase(999)]
    public async Task Any_number_of_records_is_searched_before_and_after_a_rebuild(int count)
    {
        using var folder = new CollectionDirectory();
        await using VectorCollection<int> collection = await folder.OpenAsync<int>(schema: _schema);
        var random = new Random(count);
        await Task.WhenAll(Enumerable.Range(0, count).Select(key => collection.UpsertAsync(key, Vector(random))));
        for (int round = 0; round < 2; round++)
        {
            CollectionResult<int> found = await collection.SearchAsync(Vector(random), 10);
            Assert.That(found, Has.Count.EqualTo(Math.Min(10, count)));
            Assert.That(found.Statistics.EndedBy, Is.EqualTo(count < 10 ? SearchEnd.AllVectors : SearchEnd.Complete));
            Assert.That(found.Select(hit => hit.Score), Is.Ordered.Descending, "cosine similarity");
            Assert.That(await collection.SearchAsync(Vector(random), 2 * count + 1), Has.Count.EqualTo(count));
            Assert.That(await collection.CompactAsync(), Is.EqualTo(round == 0 && count > 0), "there is something to do");
        }

        Assert.That(collection.Status.Waiting, Is.EqualTo(0));
    }

    [Test]
    public async Task A_call_that_was_cancelled_before_reads_nothing_although_all_records_wait()
    {
        using var folder = new CollectionDirectory();
        await using VectorCollection<int> collection = await folder.OpenAsync<int>(schema: _schema);
        await collection.UpsertAsync(1, new float[] { 1, 2, 3 });
        var cancelled = new CancellationToken(canceled: true);
        await Assert.ThatAsync(
            () => collection.SearchAsync(new float[] { 1, 2, 3 }, 1, cancellationToken: cancelled),
            Throws.InstanceOf<OperationCanceledException>());
        await Assert.ThatAsync(
            () => collection.OpenSearch(new float[] { 1, 2, 3 }).NextAsync(1, cancelled), Throws.InstanceOf<OperationCanceledException>());
        await Assert.ThatAsync(
            () => collection.GetAsync(1, cancellationToken: cancelled), Throws.InstanceOf<OperationCanceledException>());
    }

    [Test]
    public async Task Deleting_everything_leaves_an_empty_collection()
    {
        using var folder = new CollectionDirectory();
        await using (VectorCollection<string> collection = await folder.OpenAsync<string>(schema: _schema))
        {
            await collection.UpsertAsync("a", new float[] { 1, 2, 3 });
            await collection.CompactAsync();
            Assert.That(await collection.DeleteAsync("a"));
            Assert.That(await collection.DeleteAsync("a"), Is.False);
            Assert.That(await collection.SearchAsync(new float[] { 1, 2, 3 }, 5), Is.Empty);
            await collection.CompactAsync();
            Assert.That((collection.Count, collection.Status.Generation), Is.EqualTo((0, 0)));
        }

        await using VectorCollection<string> again = await folder.OpenAsync<string>(schema: _schema);
        Assert.That(again.Count, Is.EqualTo(0));
    }

    [Test]
    public async Task Near_records_of_a_record_are_found_without_it()
    {
        using var folder = new CollectionDirectory();
        await using VectorCollection<int> collection = await folder.OpenAsync<int>(schema: _schema);
        for (int key = 0; key < 5; key++)
            await collection.UpsertAsync(key, new float[] { 1, key, 0 });
        CollectionResult<int>? near = await collection.SearchNearAsync(2, 2);
        Assert.That(near!.Select(hit => hit.Key), Is.EqualTo(new[] { 3, 4 }));
        Assert.That(await collection.SearchNearAsync(77, 2), Is.Null);
    }

    [Test]
    public async Task Another_schema_is_refused_and_the_member_named()
    {
        using var folder = new CollectionDirectory();
        await (await folder.OpenAsync<int>(schema: _schema)).DisposeAsync();
        Assert.That(
            async () => await folder.OpenAsync<int>(schema: _schema with { Dimension = 4 }),
            Throws.ArgumentException.With.Message.Contains("Dimension: expected 4, found 3"));
        Assert.That(
            async () => await folder.OpenAsync<long>(schema: _schema), Throws.ArgumentException.With.Message.Contains("Int32"));
        Assert.That(
            async () => await folder.OpenAsync<double>(schema: _schema), Throws.TypeOf<NotSupportedException>());
    }

    [Test]
    public async Task A_second_writer_is_refused_and_a_reader_is_not()
    {
        using var folder = new CollectionDirectory();
        await using VectorCollection<int> writer = await folder.OpenAsync<int>(schema: _schema);
        await writer.UpsertAsync(1, new float[] { 1, 2, 3 });
        Assert.That(async () => await folder.OpenAsync<int>(schema: _schema), Throws.TypeOf<IndexWriteException>());
        CollectionOptions readOnly = CollectionDirectory.Options with { ReadOnly = true };
        await using VectorCollection<int> reader = await folder.OpenAsync<int>(readOnly, schema: _schema);
        Assert.That(await reader.SearchAsync(new float[] { 1, 2, 3 }, 1), Has.Count.EqualTo(1));
        Assert.That(() => reader.UpsertAsync(1, new float[] { 1, 2, 3 }), Throws.InvalidOperationException);
        await writer.UpsertAsync(2, new float[] { 1, 2, 3 });
        await writer.CompactAsync();
        Assert.That((await reader.GetAsync(1))!.GetVector<float>().ToArray(), Is.EqualTo(new float[] { 1, 2, 3 }));
        Assert.That(reader.Count, Is.EqualTo(1), "it reads what was there when it was opened");
    }

    [Test]
    public async Task Bad_input_is_refused_and_nothing_is_written()
    {
        using var folder = new CollectionDirectory();
        await using VectorCollection<string> collection = await folder.OpenAsync<string>(schema: _schema);
        Assert.That(() => collection.UpsertAsync("a", new float[] { 1, 2 }), Throws.TypeOf<InvalidVectorException>());
        Assert.That(() => collection.UpsertAsync("a", new float[] { 1, float.NaN, 2 }), Throws.TypeOf<InvalidVectorException>());
        Assert.That(() => collection.UpsertAsync("a", new float[] { 0, 0, 0 }), Throws.TypeOf<InvalidVectorException>());
        Assert.That(() => collection.UpsertAsync("a", new byte[] { 1, 2, 3 }), Throws.TypeOf<InvalidVectorException>());
        Assert.That(() => collection.UpsertAsync("a", new double[] { 1, 2, 3 }), Throws.TypeOf<InvalidVectorException>());
        Assert.That(() => collection.UpsertAsync("", new float[] { 1, 2, 3 }), Throws.TypeOf<InvalidRecordException>());
        Assert.That(
            () => collection.UpsertAsync("a", new float[] { 1, 2, 3 }, payload: new byte[(1 << 20) + 1]),
            Throws.TypeOf<InvalidRecordException>());
        Assert.That(
            () => collection.UpsertAsync("a", new float[] { 1, 2, 3 }, new AttributeSet { ["x"] = 1 }),
            Throws.TypeOf<InvalidRecordException>().With.Message.Contains("x"));
        Assert.That(async () => await collection.SearchAsync(new float[] { 1, 2, 3 }, 0), Throws.TypeOf<ArgumentOutOfRangeException>());
        Assert.That(async () => await collection.SearchAsync(new float[] { 1, 2 }, 1), Throws.TypeOf<InvalidVectorException>());
        WriteBatch<string> batch = collection.CreateBatch();
        for (int i = 0; i < 5; i++)
            batch.Upsert("a", new float[] { 1, 2, 3 }, payload: new byte[1 << 20]);
        Assert.That(() => collection.WriteAsync(batch), Throws.TypeOf<InvalidRecordException>().With.Message.Contains("4194304"));
        Assert.That((collection.Count, collection.Status.Sequence), Is.EqualTo((0, 0)));
    }

    [TestCase(false)]
    [TestCase(true)]
    public async Task Options_out_of_their_range_are_refused_with_and_without_an_index(bool hasIndex)
    {
        using var folder = new CollectionDirectory();
        await using VectorCollection<int> collection = await folder.OpenAsync<int>(schema: _schema);
        var random = new Random(1);
        for (int key = 0; key < 50; key++)
            await collection.UpsertAsync(key, Vector(random));
        Assert.That(!hasIndex || await collection.CompactAsync());
        SearchOptions[] refused =
        [
            new() { TargetRecall = 7 }, new() { TargetRecall = float.NaN }, new() { Mode = (SearchMode)9 },
            new() { Mode = SearchMode.Exact, TargetRecall = 0.9f },
        ];
        foreach (SearchOptions options in refused)
            Assert.That(
                async () => await collection.SearchAsync(Vector(random), 3, options), Throws.TypeOf<ArgumentOutOfRangeException>());
        Assert.That(await collection.SearchAsync(Vector(random), int.MaxValue), Has.Count.EqualTo(50));
    }

    [Test]
    public async Task A_closed_collection_says_so()
    {
        using var folder = new CollectionDirectory();
        VectorCollection<int> collection = await folder.OpenAsync<int>(schema: _schema);
        await collection.UpsertAsync(1, new float[] { 1, 2, 3 });
        await collection.DisposeAsync();
        await collection.DisposeAsync();
        Assert.That((collection.Count, collection.Status.IsRebuilding), Is.EqualTo((1, false)));
        Assert.That(() => collection.CompactAsync(), Throws.TypeOf<ObjectDisposedException>());
        Assert.That(async () => await collection.ScanAsync().CountAsync(), Throws.TypeOf<ObjectDisposedException>());
        Assert.That(() => collection.UpsertAsync(1, new float[] { 1, 2, 3 }), Throws.TypeOf<ObjectDisposedException>());
        Assert.That(async () => await collection.GetAsync(1), Throws.TypeOf<ObjectDisposedException>());
        Assert.That(async () => await collection.SearchAsync(new float[] { 1, 2, 3 }, 1), Throws.TypeOf<ObjectDisposedException>());
    }

    [Test]
    public async Task An_import_an_export_and_a_backup_hold_the_same()
    {
        using CollectionDirectory folder = new(), exported = new(), copied = new();
        var random = new Random(1);
        float[] rows = [.. Enumerable.Range(0, 300).SelectMany(_ => Vector(random))];
        await using VectorCollection<ulong> collection = await folder.OpenAsync<ulong>(schema: _schema);
        await collection.UpsertAsync(1000ul, new float[] { 1, 2, 3 }, payload: new byte[] { 9 });
        Assert.That(await collection.ImportAsync(VectorSource.FromMemory(rows, 3)), Is.EqualTo(300));
        await collection.DeleteAsync(7);
        await collection.UpsertAsync(8ul, new float[] { 8, 8, 8 });
        Assert.That(collection.Count, Is.EqualTo(300));

        await collection.ExportAsync(exported.Path);
        using (VectorIndex index = VectorIndex.Open(exported.Path))
        {
            Assert.That(index.Info.Count, Is.EqualTo(300));
            Assert.That(await index.GetAsync(7), Is.Null);
            Assert.That((await index.GetAsync(8))!.GetVector<float>().ToArray(), Is.EqualTo(new float[] { 8, 8, 8 }));
        }

        await collection.BackupAsync(copied.Path);
        await collection.DeleteAsync(1000);
        await using VectorCollection<ulong> copy = await copied.OpenAsync<ulong>(schema: _schema);
        Assert.That(copy.Count, Is.EqualTo(300));
        Assert.That((await copy.GetAsync(1000))!.Payload.ToArray(), Is.EqualTo(new byte[] { 9 }));
        Assert.That(await copy.GetAsync(7), Is.Null);
        await copy.UpsertAsync(7ul, new float[] { 7, 7, 7 });
        Assert.That(async () => await collection.BackupAsync(copied.Path), Throws.TypeOf<IndexWriteException>());
    }

    [Test]
    public async Task An_import_into_an_empty_collection_is_whole_or_nothing_and_writes_wait_for_it()
    {
        using var folder = new CollectionDirectory();
        await using VectorCollection<int> collection = await folder.OpenAsync<int>(schema: _schema);
        var random = new Random(1);
        float[] rows = [.. Enumerable.Range(0, 500).SelectMany(_ => Vector(random))];
        ulong[] twice = [.. Enumerable.Range(0, 500).Select(row => (ulong)(row % 499))];
        Assert.That(
            async () => await collection.ImportAsync(VectorSource.FromMemory(rows, 3, twice)), Throws.TypeOf<InvalidVectorException>());
        ulong[] large = [.. Enumerable.Range(0, 500).Select(row => (ulong)row << 32)];
        Assert.That(
            async () => await collection.ImportAsync(VectorSource.FromMemory(rows, 3, large)),
            Throws.TypeOf<InvalidRecordException>().With.Message.Contains("Row 1"));
        Assert.That((collection.Count, collection.Status.Generation), Is.EqualTo((0, 0)));

        Task? write = null;
        var progress = new EachReport(() => write ??= collection.UpsertAsync(7, new float[] { 7, 7, 7 }));
        Assert.That(await collection.ImportAsync(VectorSource.FromMemory(rows, 3), progress), Is.EqualTo(500));
        await write!;
        Assert.That((collection.Count, collection.Status.GenerationCount, collection.Status.Waiting), Is.EqualTo((500, 500, 1)));
        Assert.That((await collection.GetAsync(7))!.GetVector<float>().ToArray(), Is.EqualTo(new float[] { 7, 7, 7 }));
        Assert.That((await collection.GetAsync(8))!.GetVector<float>().ToArray(), Is.EqualTo(rows[24..27]));
    }

    /// <remarks>On a thread of its own, what a report throws would end the process.</remarks>
    [Test]
    public async Task A_report_that_throws_ends_a_rebuild_with_its_error()
    {
        using var folder = new CollectionDirectory();
        await using VectorCollection<int> collection = await folder.OpenAsync<int>(schema: _schema);
        var random = new Random(2);
        for (int key = 0; key < 300; key++)
            await collection.UpsertAsync(key, Vector(random));
        var progress = new EachReport(() => throw new InvalidOperationException("a window that was closed"));
        Assert.That(
            async () => await collection.CompactAsync(progress),
            Throws.TypeOf<InvalidOperationException>().With.Message.Contains("window"));
        Assert.That((collection.Count, collection.Status.Generation, collection.Status.Waiting), Is.EqualTo((300, 0, 300)));
        Assert.That(await collection.CompactAsync());
        Assert.That((collection.Count, collection.Status.GenerationCount, collection.Status.Waiting), Is.EqualTo((300, 300, 0)));
    }

    [Test]
    public async Task Many_records_are_read_although_few_requests_may_wait()
    {
        using var folder = new CollectionDirectory();
        CollectionOptions options = CollectionDirectory.Options;
        await using VectorCollection<int> collection = await folder.OpenAsync<int>(
            options with { Open = options.Open! with { MaxQueuedQueries = 1 } }, schema: _schema);
        var random = new Random(1);
        for (int key = 0; key < 100; key++)
            await collection.UpsertAsync(key, Vector(random));
        Assert.That(await collection.CompactAsync());
        int[] keys = [.. Enumerable.Range(-5, 110)];
        Assert.That(
            await collection.GetManyAsync(keys).Select(record => record.Key).ToListAsync(), Is.EqualTo(Enumerable.Range(0, 100)));
    }

    [Test]
    public async Task Options_of_rebuilds_that_are_out_of_their_range_are_refused_at_opening()
    {
        using var folder = new CollectionDirectory();
        string directory = Path.Combine(folder.Path, "c");
        CollectionOptions[] refused =
        [
            new() { Build = new BuildOptions { Threads = 0 } }, new() { Build = new BuildOptions { MemoryPerVector = -1 } },
            new() { Durability = (Durability)9 },
        ];
        foreach (CollectionOptions options in refused)
        {
            await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => VectorCollection<int>.OpenAsync(directory, _schema, options));
            Assert.That(Directory.Exists(directory), Is.False);
        }
    }

    private static float[] Vector(Random random) => [.. Enumerable.Range(0, 3).Select(_ => 0.1f + random.NextSingle())];

    private sealed class EachReport(Action action) : IProgress<BuildProgress>
    {
        public void Report(BuildProgress value) => action();
    }
}
