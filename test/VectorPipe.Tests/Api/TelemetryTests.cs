using System.Diagnostics;
using NUnit.Framework;
using VectorPipe.Devices;
using VectorPipe.Model.Errors;
using VectorPipe.Tests.Collections;
using VectorPipe.Tests.Faults;

namespace VectorPipe.Tests.Api;

/// <summary>What a listener hears of operations. Names of directories tell those of a test from those of others.</summary>
public sealed class TelemetryTests
{
    [Test]
    public async Task Searches_and_look_ups_of_an_index_are_measured_and_traced()
    {
        using TestIndex test = TestIndex.Build(count: 1000);

        // All test indexes have the same name.
        using var folder = new CollectionDirectory();
        foreach (string file in Directory.GetFiles(test.Directory))
            File.Copy(file, Path.Combine(folder.Path, Path.GetFileName(file)));
        using VectorIndex index = VectorIndex.Open(folder.Path, new OpenOptions { DeviceKind = DeviceKind.Memory });
        using var heard = new Heard(Path.GetFileName(folder.Path));
        byte[] query = test.MakeQueries(1);
        SearchResult result = await index.SearchAsync(query, 5);
        await index.SearchAsync<byte>(query, new SearchHit[3]);
        await index.SearchBatchAsync(query, 2);
        Assert.That(await index.GetAsync(7), Is.Not.Null);
        Assert.That(() => index.SearchAsync(query, 0), Throws.TypeOf<ArgumentOutOfRangeException>());

        using (Assert.EnterMultipleScope())
        {
            Assert.That(
                heard.Of("db.client.operation.duration", "db.operation.name", "search"),
                Has.Count.EqualTo(4).And.All.GreaterThanOrEqualTo(0));
            Assert.That(heard.Of("db.client.operation.duration", "db.operation.name", "get"), Has.Count.EqualTo(1));
            Assert.That(
                heard.Of("db.client.operation.duration", "error.type", "System.ArgumentOutOfRangeException"), Has.Count.EqualTo(1));
            Assert.That(heard.Of("db.client.response.returned_rows", "db.operation.name", "search"), Is.EquivalentTo([5, 3, 2]));
            Assert.That(heard.Of("vectorpipe.search.reads"), Has.Count.EqualTo(3).And.Contains(result.Statistics.Reads));
            Assert.That(heard.Of("vectorpipe.device.io").Sum(), Is.GreaterThanOrEqualTo(result.Statistics.BytesRead));
            Assert.That(heard.Of("vectorpipe.device.reads", "vectorpipe.device.kind", "memory"), Has.Count.EqualTo(3));
            Assert.That(heard.Of("vectorpipe.device.io", "vectorpipe.device.kind", "memory"), Has.Count.EqualTo(3));
            Assert.That(heard.Of("vectorpipe.device.errors"), Is.Empty);
        }

        heard.Observe();
        using (Assert.EnterMultipleScope())
        {
            Assert.That(heard.Of("vectorpipe.memory.usage", "vectorpipe.memory.kind", "index"), Is.EqualTo([index.Info.MemoryBytes]));
            Assert.That(heard.Of("vectorpipe.collection.vectors", "vectorpipe.vector.state", "live"), Is.EqualTo([1000]));
            Assert.That(heard.Of("vectorpipe.search.queued"), Is.EqualTo([0]));
            Assert.That(heard.Of("vectorpipe.memory.usage", "vectorpipe.memory.kind", "sessions"), Is.EqualTo([index.SessionBytes]));
            Assert.That(index.SessionBytes, Is.GreaterThan(0));
            Assert.That(
                heard.Of("vectorpipe.storage.size", "vectorpipe.file.role", "nodes"),
                Is.EqualTo([index.Info.Files.Single(file => file.Role == "Nodes").Length]));
            Assert.That(
                heard.Of("vectorpipe.storage.size").Sum(),
                Is.EqualTo(new DirectoryInfo(folder.Path).EnumerateFiles().Sum(file => file.Length)));
        }

        Activity search = heard.Activities.First(activity => activity.GetTagItem("db.operation.name") is "search");
        using (Assert.EnterMultipleScope())
        {
            Assert.That(search.DisplayName, Is.EqualTo($"search {heard.Name}"));
            Assert.That(search.Kind, Is.EqualTo(ActivityKind.Client));
            Assert.That(search.GetTagItem("db.system.name"), Is.EqualTo("vectorpipe"));
            Assert.That(search.GetTagItem("db.response.returned_rows"), Is.EqualTo(5));
            Assert.That(search.GetTagItem("vectorpipe.search.reads"), Is.EqualTo(result.Statistics.Reads));
            Assert.That(search.GetTagItem("vectorpipe.search.k"), Is.EqualTo(5));
            Assert.That(search.GetTagItem("vectorpipe.search.target_recall"), Is.EqualTo(0.95f));
            Assert.That(heard.Activities.Count(activity => activity.Status == ActivityStatusCode.Error), Is.EqualTo(1));
        }

        index.Dispose();
        heard.Clear();
        heard.Observe();
        Assert.That(heard.Of("vectorpipe.memory.usage"), Is.Empty, "what is closed is observed no more");
    }

    [Test]
    public async Task The_recall_of_queries_that_an_index_follows_is_measured()
    {
        using var test = TestIndex.Build(count: 1000);
        using var folder = new CollectionDirectory();
        foreach (string file in Directory.GetFiles(test.Directory))
            File.Copy(file, Path.Combine(folder.Path, Path.GetFileName(file)));
        const int Queries = 16;
        var options = new OpenOptions
        {
            DeviceKind = DeviceKind.Memory,
            SearchThreads = 1,
            ExactUpTo = 0,
            FollowQueries = true,
            FollowedQueries = Queries,
        };
        using VectorIndex index = VectorIndex.Open(folder.Path, options);
        using var heard = new Heard(Path.GetFileName(folder.Path));
        heard.Observe();
        Assert.That(heard.Of("vectorpipe.search.recall"), Is.Empty, "not yet");

        byte[] queries = test.MakeQueries(Queries);
        await index.SearchBatchAsync(queries, 10);
        while (index.QueryRecall is null)
            await Task.Yield();
        heard.Observe();
        Assert.That(heard.Of("vectorpipe.search.recall"), Is.EqualTo([(double)index.QueryRecall.Found]));
    }

    [Test]
    public async Task The_queue_of_a_store_names_its_tenant()
    {
        using var folder = new CollectionDirectory();
        using var engine = new VectorPipeEngine();
        using VectorPipeEngine tenant = engine.CreateTenant(new VectorPipeTenantOptions { Name = "acme" });
        CollectionOptions options = CollectionDirectory.Options with { Open = new OpenOptions { Engine = tenant } };
        await using VectorCollection<int> collection =
            await folder.OpenAsync<int>(options, schema: new CollectionSchema { Dimension = 2 });
        using var heard = new Heard(Path.GetFileName(folder.Path));
        heard.Observe();
        Assert.That(heard.Of("vectorpipe.search.queued", "vectorpipe.tenant.name", "acme"), Is.EqualTo([0]));
        Assert.That(heard.Of("vectorpipe.search.queued", "vectorpipe.queue.kind", "requests"), Is.EqualTo([0]));
    }

    [Test]
    public async Task Operations_and_maintenance_of_a_collection_are_measured_and_traced()
    {
        using var folder = new CollectionDirectory();
        var schema = new CollectionSchema { Dimension = 3, Attributes = [new("year", AttributeType.Int64)] };
        await using VectorCollection<int> collection = await folder.OpenAsync<int>(schema: schema);
        using var heard = new Heard(Path.GetFileName(folder.Path));
        WriteBatch<int> batch = collection.CreateBatch();
        for (int key = 0; key < 30; key++)
            batch.Upsert(key, new float[] { 1, key, 2 }, new AttributeSet { ["year"] = (long)key });
        await collection.WriteAsync(batch);
        await collection.UpsertAsync(30, new float[] { 1, 2, 3 });
        await collection.DeleteAsync(30);
        await collection.CompactAsync();
        await collection.SearchAsync(new float[] { 1, 2, 3 }, 4, filter: Filter.LessThan("year", 9));
        await collection.GetAsync(3);
        await collection.GetAsync(4);
        using (Assert.EnterMultipleScope())
        {
            foreach ((string name, int count) in new[] { ("write", 1), ("upsert", 1), ("delete", 1), ("search", 1), ("get", 2) })
                Assert.That(heard.Of("db.client.operation.duration", "db.operation.name", name), Has.Count.EqualTo(count), name);
            Assert.That(heard.Of("vectorpipe.maintenance.duration", "vectorpipe.maintenance.kind", "rebuild"), Has.Count.EqualTo(1));
            Activity written = heard.Activities.Single(activity => activity.GetTagItem("db.operation.name") is "write");
            Assert.That(written.GetTagItem("db.operation.batch.size"), Is.EqualTo(30));
            Activity search = heard.Activities.Single(activity => activity.GetTagItem("db.operation.name") is "search");
            Assert.That(search.GetTagItem("vectorpipe.filter.matches"), Is.EqualTo(9));
            Assert.That(search.GetTagItem("db.response.returned_rows"), Is.EqualTo(4));
        }

        heard.Observe();
        Assert.That(heard.Of("vectorpipe.collection.vectors", "vectorpipe.vector.state", "live"), Is.EqualTo([30]));
        Assert.That(heard.Of("vectorpipe.memory.usage", "vectorpipe.memory.kind", "filters").Single(), Is.GreaterThan(0));
    }

    [Test]
    public async Task Counts_cursors_and_grouped_searches_are_one_operation_a_call()
    {
        using var folder = new CollectionDirectory();
        var schema = new CollectionSchema { Dimension = 2, Attributes = [new("year", AttributeType.Int64)] };
        await using VectorCollection<int> collection = await folder.OpenAsync<int>(schema: schema);
        for (int key = 0; key < 20; key++)
            await collection.UpsertAsync(key, new float[] { 1, key }, new AttributeSet { ["year"] = (long)(key / 10) });
        using var heard = new Heard(Path.GetFileName(folder.Path));
        Assert.That(await collection.CountAsync(Filter.Equal("year", 1)), Is.EqualTo(10));
        Assert.That(heard.Of("db.client.operation.duration", "db.operation.name", "count"), Has.Count.EqualTo(1));

        // Of two groups, it looks at more than two hits.
        float[] query = [1, 0];
        Assert.That(await collection.SearchGroupedAsync(query, 2, "year"), Has.Count.EqualTo(2));
        Assert.That(heard.Of("db.client.response.returned_rows", "db.operation.name", "search"), Is.EqualTo([2]));
        Assert.That(await collection.SearchGroupedBatchAsync(query, 1, "year"), Has.Length.EqualTo(1));
        Assert.That(heard.Of("db.client.response.returned_rows", "db.operation.name", "search"), Is.EqualTo([2, 1]));
        CollectionCursor<int> cursor = collection.OpenSearch(query, new SearchOptions { TargetRecall = 0.9f });
        await cursor.NextAsync(3);
        await cursor.NextAsync(4);
        Assert.That(heard.Of("db.client.response.returned_rows", "db.operation.name", "search"), Is.EqualTo([2, 1, 3, 4]));
        Activity last = heard.Activities.Last();
        Assert.That(last.GetTagItem("vectorpipe.search.k"), Is.EqualTo(4));
        Assert.That(last.GetTagItem("vectorpipe.search.target_recall"), Is.EqualTo(0.9f));

        await collection.SearchAsync(query, 1, new SearchOptions { Mode = SearchMode.Exact });
        Assert.That(heard.Activities.Last().GetTagItem("vectorpipe.search.target_recall"), Is.Null, "it aims at no recall");
    }

    [Test]
    public async Task Records_that_writes_have_replaced_and_files_of_a_collection_are_measured()
    {
        using var folder = new CollectionDirectory();
        await using VectorCollection<int> collection = await folder.OpenAsync<int>(schema: new CollectionSchema { Dimension = 2 });
        for (int key = 0; key < 20; key++)
            await collection.UpsertAsync(key, new float[] { 1, key });
        await collection.CompactAsync();
        await collection.DeleteAsync(3);
        await collection.UpsertAsync(4, new float[] { 1, 2 });
        await collection.UpsertAsync(20, new float[] { 1, 2 });
        using var heard = new Heard(Path.GetFileName(folder.Path));
        heard.Observe();
        Assert.That(heard.Of("vectorpipe.collection.vectors", "vectorpipe.vector.state", "deleted"), Is.EqualTo([2]));
        Assert.That(heard.Of("vectorpipe.storage.size", "vectorpipe.file.role", "log").Single(), Is.GreaterThan(0));
        Assert.That(heard.Of("vectorpipe.storage.size", "vectorpipe.file.role", "nodes").Single(), Is.GreaterThan(0));
        await collection.SearchAsync(new float[] { 1, 2 }, 1);
        Assert.That(heard.Of("vectorpipe.device.reads", "vectorpipe.device.kind", "portable"), Has.Count.EqualTo(1));
    }

    [Test]
    public async Task Operations_that_the_device_ends_are_counted_with_the_error_of_the_system()
    {
        using TestIndex test = TestIndex.Build(count: 400);
        using var folder = new CollectionDirectory();
        foreach (string file in Directory.GetFiles(test.Directory))
            File.Copy(file, Path.Combine(folder.Path, Path.GetFileName(file)));
        FaultDevice device = null!;
        using VectorIndex index = VectorIndex.Open(folder.Path, new OpenOptions
        {
            OpenDevice = paths => device = new FaultDevice(DefaultDevice.Open(paths, DeviceKind.Memory)),
        });
        device.Plan = new FaultPlan { OnOpen = static () => throw new DeviceException("no queue", Errno.ENOSPC) };
        using var heard = new Heard(Path.GetFileName(folder.Path));
        await Assert.ThatAsync(() => index.SearchAsync(test.MakeQueries(1), 1).AsTask(), Throws.InstanceOf<DeviceException>());
        Assert.That(heard.Of("vectorpipe.device.errors", "error.type", "ENOSPC"), Is.EqualTo([1]));
        Assert.That(heard.Of("db.client.operation.duration", "error.type", "ENOSPC"), Has.Count.EqualTo(1));
        Assert.That(heard.Activities.Single().GetTagItem("error.type"), Is.EqualTo("ENOSPC"));
        Assert.That(heard.Of("vectorpipe.device.errors", "vectorpipe.device.kind", "memory"), Is.EqualTo([1]));
    }

    [Test]
    public async Task The_activity_of_a_caller_is_the_parent_and_stays_in_force()
    {
        using var folder = new CollectionDirectory();
        await using VectorCollection<int> collection =
            await folder.OpenAsync<int>(schema: new CollectionSchema { Dimension = 1, Metric = DistanceMetric.L2 });
        using var heard = new Heard(Path.GetFileName(folder.Path));
        using Activity caller = new Activity("caller").Start();
        Task write = collection.UpsertAsync(1, new float[] { 1 });
        Assert.That(Activity.Current, Is.SameAs(caller));
        await write;
        Assert.That(Activity.Current, Is.SameAs(caller));
        Assert.That(heard.Activities.Single().ParentId, Is.EqualTo(caller.Id));
    }
}
