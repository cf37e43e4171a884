using System.Diagnostics;
using NUnit.Framework;
using VectorPipe.Tests.Collections;

namespace VectorPipe.Tests.Api;

/// <summary>What a listener hears of a scan: one operation, from its first record to its end.</summary>
internal sealed class ScanTelemetryTests
{
    private const int Count = 20;

    [Test]
    public async Task A_scan_is_one_operation_that_ends_with_its_last_record()
    {
        using var folder = new CollectionDirectory();
        await using VectorCollection<int> collection = await FillAsync(folder);
        using var heard = new Heard(Path.GetFileName(folder.Path));
        using Activity caller = new Activity("caller").Start();
        int rows = 0;
        await foreach (CollectionRecord<int> _ in collection.ScanAsync())
        {
            rows++;
            Assert.That(Activity.Current, Is.SameAs(caller), "the program's own operations are not part of the scan's span");
            Assert.That(heard.Of("db.client.operation.duration"), Is.Empty, "it has not ended");
        }

        Assert.That(rows, Is.EqualTo(Count));
        Assert.That(Activity.Current, Is.SameAs(caller));
        Assert.That(heard.Of("db.client.operation.duration", "db.operation.name", "scan"), Has.Count.EqualTo(1).And.All.GreaterThan(0));
        Assert.That(heard.Of("db.client.response.returned_rows", "db.operation.name", "scan"), Is.EqualTo([Count]));
        Assert.That(heard.Of("db.client.operation.duration", "error.type", null), Has.Count.EqualTo(1), "no error");
        Activity scan = heard.Activities.Single();
        using (Assert.EnterMultipleScope())
        {
            Assert.That((scan.DisplayName, scan.Kind), Is.EqualTo(($"scan {heard.Name}", ActivityKind.Client)));
            Assert.That(scan.ParentId, Is.EqualTo(caller.Id));
            Assert.That(scan.GetTagItem("db.response.returned_rows"), Is.EqualTo(Count));
            Assert.That(scan.Status, Is.EqualTo(ActivityStatusCode.Unset));
        }
    }

    [Test]
    public async Task A_scan_that_its_program_leaves_has_the_records_that_it_took()
    {
        using var folder = new CollectionDirectory();
        await using VectorCollection<int> collection = await FillAsync(folder);
        using var heard = new Heard(Path.GetFileName(folder.Path));
        await foreach (CollectionRecord<int> record in collection.ScanAsync(Filter.LessThan("year", 10), Include.Key))
        {
            if (heard.Activities.IsEmpty)
                break;
        }

        Assert.That(heard.Of("db.client.response.returned_rows", "db.operation.name", "scan"), Is.EqualTo([1]));
        Assert.That(heard.Of("db.client.operation.duration", "error.type", null), Has.Count.EqualTo(1), "no error");
    }

    [Test]
    public async Task A_scan_that_an_error_ends_names_it()
    {
        using var folder = new CollectionDirectory();
        await using VectorCollection<int> collection = await FillAsync(folder);
        await collection.CompactAsync();
        using var heard = new Heard(Path.GetFileName(folder.Path));
        string index = Path.GetDirectoryName(Directory.GetFiles(folder.Path, "nodes-*", SearchOption.AllDirectories).Single())!;
        Directory.Move(index, index + ".gone");
        await Assert.ThatAsync(() => ReadAsync(collection.ScanAsync()), Throws.TypeOf<DeviceException>());
        Directory.Move(index + ".gone", index);
        using var cancellation = new CancellationTokenSource();
        await Assert.ThatAsync(() => ReadAsync(collection.ScanAsync(), cancellation), Throws.InstanceOf<OperationCanceledException>());
        Assert.That(() => collection.ScanAsync(Filter.Equal("no such", 1)), Throws.TypeOf<InvalidFilterException>());
        using (Assert.EnterMultipleScope())
        {
            Assert.That(Errors("VectorPipe.DeviceException"), Is.EqualTo(1));
            Assert.That(heard.Of("vectorpipe.device.errors", "error.type", "VectorPipe.DeviceException"), Is.EqualTo([1]));
            Assert.That(
                Errors("System.OperationCanceledException") + Errors("System.Threading.Tasks.TaskCanceledException"), Is.EqualTo(1));
            Assert.That(Errors("VectorPipe.InvalidFilterException"), Is.EqualTo(1));
            Assert.That(heard.Activities.Select(activity => activity.Status), Is.All.EqualTo(ActivityStatusCode.Error));
        }

        int Errors(string type) => heard.Of("db.client.operation.duration", "error.type", type).Count;
    }

    /// <remarks>Alone: a listener of another test would hear it.</remarks>
    [Test]
    [Alone]
    public async Task Without_a_listener_a_scan_is_read_as_it_is()
    {
        using var folder = new CollectionDirectory();
        await using VectorCollection<int> collection = await FillAsync(folder);
        Type unlistened = collection.ScanAsync().GetType();
        Assert.That(unlistened.DeclaringType!.Name, Does.StartWith("VectorCollection"), "nothing is allocated around it");
        using var heard = new Heard(Path.GetFileName(folder.Path));
        Assert.That(collection.ScanAsync().GetType(), Is.Not.EqualTo(unlistened));
    }

    private static async Task<VectorCollection<int>> FillAsync(CollectionDirectory folder)
    {
        var schema = new CollectionSchema { Dimension = 2, Attributes = [new("year", AttributeType.Int64)] };
        VectorCollection<int> collection = await folder.OpenAsync<int>(schema: schema);
        WriteBatch<int> batch = collection.CreateBatch();
        for (int key = 0; key < Count; key++)
            batch.Upsert(key, new float[] { 1, key }, new AttributeSet { ["year"] = (long)key });
        await collection.WriteAsync(batch);
        return collection;
    }

    /// <summary>Reads all records, or cancels behind the first.</summary>
    private static async Task ReadAsync(IAsyncEnumerable<CollectionRecord<int>> scan, CancellationTokenSource? cancellation = null)
    {
        await foreach (CollectionRecord<int> _ in scan.WithCancellation(cancellation?.Token ?? CancellationToken.None))
            cancellation?.Cancel();
    }
}
