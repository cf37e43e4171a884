using System.Collections.Concurrent;
using NUnit.Framework;
using VectorPipe.Collections.Columns;
using VectorPipe.Collections.Generations;
using VectorPipe.Model.Collections;
using VectorPipe.Storage.Files;
using VectorPipe.Tests.Crash;

namespace VectorPipe.Tests.Collections;

/// <summary>Scans and counts by filter, of records in memory and in the index.</summary>
[TestFixture]
[Parallelizable(ParallelScope.Children)]
public sealed class CollectionFilterTests
{
    private static readonly CollectionSchema _schema = new()
    {
        Dimension = 3,
        Attributes = [new("year", AttributeType.Int64), new("tags", AttributeType.StringSet)],
    };

    private static readonly float[] _query = [1, 1, 1];

    [Test]
    public async Task A_scan_and_a_count_find_the_matches_before_and_after_a_rebuild()
    {
        using var folder = new CollectionDirectory();
        await using VectorCollection<string> collection = await folder.OpenAsync<string>(schema: _schema);
        for (int key = 0; key < 60; key++)
        {
            AttributeSet? attributes = key % 3 == 0
                ? null
                : new AttributeSet { ["year"] = 2000 + key, ["tags"] = AttributeValue.StringSet(key % 2 == 0 ? "even" : "odd", "all") };
            await collection.UpsertAsync($"k{key}", new float[] { 1, key, 2 }, attributes);
        }

        Filter filter = Filter.LessThan("year", 2020) & Filter.Contains("tags", "even");
        for (int round = 0; round < 2; round++)
        {
            string[] found = await collection.ScanAsync(filter, Include.Key).Select(record => record.Key).ToArrayAsync();
            using (Assert.EnterMultipleScope())
            {
                Assert.That(found, Is.EquivalentTo(["k2", "k4", "k8", "k10", "k14", "k16"]));
                Assert.That(await collection.CountAsync(filter), Is.EqualTo(6));
                Assert.That(await collection.CountAsync(!Filter.Exists("year")), Is.EqualTo(20));
                Assert.That(await collection.CountAsync(Filter.All), Is.EqualTo(60));
                Assert.That(await collection.CountAsync(Filter.None), Is.Zero);
            }

            await collection.CompactAsync();
        }

        CollectionRecord<string> record = await collection.ScanAsync(Filter.Equal("year", 2004)).SingleAsync();
        Assert.That(record.Attributes["tags"], Is.EqualTo(AttributeValue.StringSet("even", "all")));
    }

    [Test]
    public async Task A_search_within_a_score_finds_written_and_indexed_records()
    {
        using var folder = new CollectionDirectory();
        await using VectorCollection<int> collection = await folder.OpenAsync<int>(schema: _schema with { Metric = DistanceMetric.L2 });
        for (int key = 0; key < 20; key++)
        {
            await collection.UpsertAsync(key, new float[] { 1, key, 2 }, new AttributeSet { ["year"] = 2000 + (key % 4) });
            if (key == 9)
                await collection.CompactAsync();
        }

        float[] query = [1, 10, 2];
        var options = new SearchOptions { Within = 4 };
        CollectionResult<int> all = await collection.SearchAsync<float>(query, 20, options);
        CollectionResult<int> nearest = await collection.SearchAsync<float>(query, 3, options);
        CollectionResult<int> matches = await collection.SearchAsync<float>(query, 20, options, filter: Filter.Equal("year", 2001));
        CollectionResult<int> late = await collection.SearchAsync<float>(query, 20, new SearchOptions { Deadline = TimeSpan.FromTicks(1) });
        using (Assert.EnterMultipleScope())
        {
            Assert.That(all.Select(hit => hit.Key), Is.EqualTo([10, 9, 11, 8, 12]));
            Assert.That(all.Statistics.EndedBy, Is.EqualTo(SearchEnd.AllWithin));
            Assert.That(nearest.Select(hit => hit.Key), Is.EqualTo([10, 9, 11]));
            Assert.That(nearest.Statistics.EndedBy, Is.EqualTo(SearchEnd.Complete));
            Assert.That(matches.Select(hit => hit.Key), Is.EqualTo([9]));
            Assert.That(matches.Statistics.EndedBy, Is.EqualTo(SearchEnd.AllWithin));
            Assert.That(late.Statistics.EndedBy, Is.EqualTo(SearchEnd.Deadline));
            Assert.That(late.Select(hit => hit.Key), Is.SupersetOf([10, 11, 12]), "writes in memory are always looked at");
        }
    }

    [Test]
    public async Task A_batch_finds_what_single_searches_find([Values] bool isIndexed, [Values] bool isBounded)
    {
        using var folder = new CollectionDirectory();
        CollectionOptions options = CollectionDirectory.Options with
        {
            Open = CollectionDirectory.Options.Open! with { QueriesInFlight = 2, MaxQueuedQueries = isBounded ? 1 : 10_000 },
        };
        using VectorCollection<int> collection = await folder.OpenAsync<int>(options, schema: _schema);
        await WriteAsync(collection, 50);
        if (!isIndexed)
            await WriteAsync(collection, 50, isLast: false);
        float[] queries = [.. Enumerable.Range(0, 200).SelectMany(row => new float[] { 1, row % 60, 2 })];
        Filter filter = Filter.Contains("tags", "t4");
        CollectionResult<int>[] found = await collection.SearchBatchAsync(queries, 3, include: Include.Attributes, filter: filter);
        Assert.That(found, Has.Length.EqualTo(200));
        for (int row = 0; row < 200; row++)
        {
            CollectionResult<int> one =
                await collection.SearchAsync<float>(queries.AsMemory(3 * row, 3).Span, 3, include: Include.Attributes, filter: filter);
            Assert.That(found[row].Select(hit => (hit.Key, hit.Score)), Is.EqualTo(one.Select(hit => (hit.Key, hit.Score))));
            Assert.That(found[row][0].Attributes!["tags"].AsStringSet(), Does.Contain("t4"));
        }
    }

    [Test]
    public async Task A_batch_is_checked_before_its_first_search()
    {
        using var folder = new CollectionDirectory();
        using VectorCollection<int> collection = await folder.OpenAsync<int>(schema: _schema);
        await WriteAsync(collection, 10);
        Assert.That(await collection.SearchBatchAsync<float>(Array.Empty<float>(), 3), Is.Empty);
        using (Assert.EnterMultipleScope())
        {
            Assert.That(
                () => collection.SearchBatchAsync(new float[4], 3), Throws.TypeOf<InvalidVectorException>().With.Message.Contains("of 3"));
            Assert.That(
                () => collection.SearchBatchAsync(new float[] { 1, 1, 1, 1, float.NaN, 1 }, 3),
                Throws.TypeOf<InvalidVectorException>().With.Message.Contains("number 1"));
            Assert.That(() => collection.SearchBatchAsync(_query, 0), Throws.TypeOf<ArgumentOutOfRangeException>());
            Assert.That(
                () => collection.SearchBatchAsync(_query, 1, filter: Filter.Exists("none")), Throws.TypeOf<InvalidFilterException>());
        }
    }

    [Test]
    public async Task A_collection_that_is_opened_again_reads_columns_and_no_records()
    {
        using var folder = new CollectionDirectory();
        using (VectorCollection<int> collection = await folder.OpenAsync<int>(schema: _schema))
            await WriteAsync(collection, 50);
        var read = new ConcurrentBag<string>();
        var io = new WatchedStorageIo(static _ => { }) { BeforeRead = path => read.Add(Path.GetFileName(path)) };
        using VectorCollection<int> again = await folder.OpenAsync<int>(schema: _schema, io: io);
        read.Clear();
        CollectionResult<int> found = await again.SearchAsync<float>(_query, 3, filter: Filter.Contains("tags", "t4"));
        Assert.That(found.Select(hit => hit.Key), Is.EquivalentTo([4, 14, 24]));

        // The records of the hits are read, to see whether they match still.
        Assert.That(read.Count(name => name.StartsWith("columns-", StringComparison.Ordinal)), Is.EqualTo(1));
        Assert.That(read.Count(name => name.StartsWith("records-", StringComparison.Ordinal)), Is.LessThanOrEqualTo(3));
        Assert.That(read.Where(name => name.StartsWith("keys-", StringComparison.Ordinal)), Is.Empty);
    }

    [Test]
    public async Task Attributes_that_filters_needed_stay_in_memory_when_the_index_is_built_anew([Values] bool isFiltered)
    {
        using var folder = new CollectionDirectory();
        using VectorCollection<int> collection = await folder.OpenAsync<int>(schema: _schema);
        await WriteAsync(collection, 50);
        if (isFiltered)
            Assert.That(await FoundAsync(), Is.EqualTo(7));
        await collection.UpsertAsync(3, new float[] { 1, 3, 2 }, new AttributeSet { ["year"] = 2010L });
        await collection.CompactAsync();
        Assert.That(collection.Store.State.View.Content!.Matches.Columns is not null, Is.EqualTo(isFiltered));
        Assert.That(await FoundAsync(), Is.EqualTo(6));

        async Task<int> FoundAsync() => (await collection.SearchAsync<float>(_query, 50, filter: Filter.LessThan("year", 2007))).Count;
    }

    [Test]
    public async Task A_verification_finds_columns_that_are_not_those_of_the_records()
    {
        using var folder = new CollectionDirectory();
        CollectionOptions options = CollectionDirectory.Options with { Tuning = new CollectionTuning() };
        using (VectorCollection<int> collection = await folder.OpenAsync<int>(options, schema: _schema))
        {
            await WriteAsync(collection, 50);
            Assert.That((await VectorCollection.VerifyAsync(folder.Path)).Defects, Is.Empty);
            CollectionGeneration generation = collection.Store.State.View.Generation!;
            CollectionColumns columns =
                new ColumnLoader(generation, generation.Latest, [.. _schema.Attributes], CancellationToken.None).LoadRecords();
            columns.TryAdd(0, default);
            columns.Seal();
            string directory = collection.Store.Folder.GenerationPath(generation.Number);
            File.Delete(Path.Combine(directory, "columns-000001.vp"));
            ColumnFile.Write(directory, columns, generation.Latest.Records.BuiltIdentity!.Value, 1, FileStorageIo.Instance);
        }

        VerifyReport report = await VectorCollection.VerifyAsync(folder.Path);
        Assert.That(report.Defects, Has.One.Contains("columns-000001.vp").And.One.Contains("node 0"));
    }

    [Test]
    public async Task A_search_near_a_record_that_does_not_match_itself_is_complete_with_k_hits()
    {
        using var folder = new CollectionDirectory();
        await using VectorCollection<int> collection = await folder.OpenAsync<int>(schema: _schema);
        for (int key = 0; key < 6; key++)
            await collection.UpsertAsync(key, new float[] { 1, key, 2 }, new AttributeSet { ["year"] = 2000 + key });
        Filter filter = Filter.GreaterThan("year", 2003);
        CollectionResult<int>? two = await collection.SearchNearAsync(1, 2, filter: filter);
        CollectionResult<int>? three = await collection.SearchNearAsync(1, 3, filter: filter);
        Assert.That(two!.Select(hit => hit.Key), Is.EqualTo([4, 5]));
        Assert.That((two!.Statistics.Hits, two.Statistics.EndedBy), Is.EqualTo((2, SearchEnd.Complete)));
        Assert.That(three!.Select(hit => hit.Key), Is.EqualTo([4, 5]));
        Assert.That((three!.Statistics.Hits, three.Statistics.EndedBy), Is.EqualTo((2, SearchEnd.AllMatches)));
    }

    [Test]
    public async Task Records_near_many_others_are_found_together()
    {
        using var folder = new CollectionDirectory();
        using VectorCollection<int> collection = await folder.OpenAsync<int>(schema: _schema);
        await WriteAsync(collection, 60);
        int[] keys = [.. Enumerable.Range(0, 70).Select(row => row * 3 % 70)];
        Filter filter = Filter.Contains("tags", "t4");
        CollectionResult<int>?[] found = await collection.SearchNearBatchAsync(keys, 2, filter: filter);
        Assert.That(found, Has.Length.EqualTo(70));
        for (int row = 0; row < 70; row++)
            Assert.That(found[row], Is.EqualTo(await collection.SearchNearAsync(keys[row], 2, filter: filter)), $"{keys[row]}");
        Assert.That(found.Count(one => one is null), Is.EqualTo(10), "keys without a record");
        Assert.That(await collection.SearchNearBatchAsync([], 2), Is.Empty);
        using (Assert.EnterMultipleScope())
        {
            Assert.That(() => collection.SearchNearBatchAsync([1], 0), Throws.TypeOf<ArgumentOutOfRangeException>());
            Assert.That(() => collection.SearchNearBatchAsync(null!, 1), Throws.ArgumentNullException);
            Assert.That(
                () => collection.SearchNearBatchAsync([1], 1, filter: Filter.Exists("none")), Throws.TypeOf<InvalidFilterException>());
        }
    }

    [Test]
    public async Task A_filter_that_does_not_fit_the_schema_is_refused_before_the_scan()
    {
        using var folder = new CollectionDirectory();
        await using VectorCollection<int> collection = await folder.OpenAsync<int>(schema: _schema);
        using (Assert.EnterMultipleScope())
        {
            Assert.That(
                () => collection.ScanAsync(Filter.Equal("yaer", 1)),
                Throws.TypeOf<InvalidFilterException>().With.Message.Contains("did you mean 'year'?"));
            Assert.That(
                async () => await collection.CountAsync(Filter.Equal("year", "x")),
                Throws.TypeOf<InvalidFilterException>().With.Message.Contains("Attribute 'year' (Int64): expected a number"));
            Assert.That(() => collection.ScanAsync((Filter)null!), Throws.ArgumentNullException);
        }
    }

    [Test]
    public async Task A_count_is_cancelled_and_needs_an_open_collection()
    {
        using var folder = new CollectionDirectory();
        VectorCollection<int> collection = await folder.OpenAsync<int>(schema: _schema);
        await collection.UpsertAsync(1, new float[] { 1, 2, 3 });
        Assert.That(
            async () => await collection.CountAsync(Filter.None, new CancellationToken(canceled: true)),
            Throws.InstanceOf<OperationCanceledException>());
        await collection.DisposeAsync();
        Assert.That(async () => await collection.CountAsync(Filter.All), Throws.TypeOf<ObjectDisposedException>());
    }

    // Integers need no records but for their attributes.
    private static async Task WriteAsync(VectorCollection<int> collection, int count, bool isLast = true)
    {
        for (int key = 0; key < count; key++)
        {
            var attributes = new AttributeSet { ["year"] = 2000 + key, ["tags"] = AttributeValue.StringSet($"t{key % 10}", "all") };
            await collection.UpsertAsync(key, new float[] { 1, key, 2 }, attributes);
        }

        if (isLast)
            await collection.CompactAsync();
    }
}
