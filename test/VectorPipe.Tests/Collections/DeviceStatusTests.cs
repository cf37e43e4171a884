using Microsoft.Extensions.Logging.Abstractions;
using NUnit.Framework;
using VectorPipe.Devices.Choosing;
using VectorPipe.Model.Open;
using VectorPipe.Tests.Collections.Checkpoints;
using VectorPipe.Tests.Faults;

namespace VectorPipe.Tests.Collections;

/// <summary>The status of a collection says how the device that reads it is.</summary>
[TestFixture]
internal sealed class DeviceStatusTests
{
    private static readonly SearchOptions _walk = new() { Graph = new GraphSearch() };

    [Test]
    [Platform("Linux")]
    public async Task Why_io_uring_is_not_used_is_known_before_and_after_there_is_an_index()
    {
        const string Reason = "io_uring was forbidden by the test";
        var open = new OpenOptions { Device = new DeviceOptions { Tuning = new DeviceTuning { UringRefusal = Reason } } };
        using var folder = new CollectionDirectory();
        await using VectorCollection<int> collection = await folder.OpenAsync<int>(
            CollectionDirectory.Options with { Open = open }, schema: new CollectionSchema { Dimension = 2 });
        Assert.That((collection.Status.DeviceName, collection.Status.DeviceFallback), Is.EqualTo(("portable", Reason)), "empty");
        await collection.UpsertAsync(1, new float[] { 1, 2 });
        Assert.That(await collection.CompactAsync(), Is.True);
        Assert.That((collection.Status.DeviceName, collection.Status.DeviceFallback), Is.EqualTo(("portable", Reason)), "with an index");
        VectorIndex index = collection.Store.State.View.Generation!.Index;
        Assert.That((index.DeviceName, index.DeviceFallback), Is.EqualTo(("portable", Reason)));
    }

    [TestCase(DeviceKind.Portable, "portable")]
    [TestCase(DeviceKind.Memory, "memory")]
    public async Task An_empty_collection_names_the_device_that_it_or_its_engine_asks_for(DeviceKind kind, string name)
    {
        await using var engine = new VectorPipeEngine(new VectorPipeEngineOptions { DeviceKind = kind });
        foreach (OpenOptions open in new[] { new OpenOptions { DeviceKind = kind }, new OpenOptions { Engine = engine } })
        {
            using var folder = new CollectionDirectory();
            await using VectorCollection<int> collection = await folder.OpenAsync<int>(
                CollectionDirectory.Options with { Open = open }, schema: new CollectionSchema { Dimension = 2 });
            Assert.That((collection.Status.DeviceName, collection.Status.DeviceFallback), Is.EqualTo((name, (string?)null)));
        }
    }

    [Test]
    public void Options_that_make_no_sense_are_refused_before_a_collection_is_created()
    {
        using var folder = new CollectionDirectory();
        CollectionOptions options = CollectionDirectory.Options with { Open = new OpenOptions { QueriesInFlight = 0 } };
        Assert.That(
            () => folder.OpenAsync<int>(options, schema: new CollectionSchema { Dimension = 2 }),
            Throws.InstanceOf<ArgumentOutOfRangeException>().With.Message.Contains("QueriesInFlight"));
        Assert.That(Directory.EnumerateFileSystemEntries(folder.Path), Is.Empty);
    }

    [Test]
    public async Task A_device_that_fails_is_in_the_status_until_it_has_served_again()
    {
        List<FaultDevice> devices = [];
        CollectionOptions options = ChangingCollection.Options with
        {
            Open = new OpenOptions { SearchThreads = 2 },
            Tuning = ChangingCollection.Options.Tuning with
            {
                OpenDevice = paths =>
                {
                    var device = new FaultDevice(
                        DeviceFactory.Open(paths, new DeviceOptions { Kind = DeviceKind.Portable }, NullLogger.Instance));
                    devices.Add(device);
                    return device;
                },
            },
        };
        await using ChangingCollection model = await ChangingCollection.BuildAsync(4, 1100, options);
        Assert.That(model.Collection.Status.DeviceError, Is.Null, "before any search");
        foreach (FaultDevice device in devices)
            device.Plan = new FaultPlan { OnOpen = static () => throw new DeviceException("the disk is gone") };
        await Assert.ThatAsync(() => model.Collection.SearchAsync(model.Next(), 1, _walk), Throws.InstanceOf<DeviceException>());
        Assert.That(
            model.Collection.Status.DeviceError, Is.InstanceOf<DeviceException>().With.Message.Contains("the disk is gone"));
        foreach (FaultDevice device in devices)
            device.Plan = new FaultPlan();
        Assert.That(model.Collection.Status.DeviceError, Is.Not.Null, "nothing was read since");
        Assert.That(await model.Collection.SearchAsync(model.Next(), 1, _walk), Has.Count.EqualTo(1));

        // The run thread notes it after the answer.
        Assert.That(SpinWait.SpinUntil(() => model.Collection.Status.DeviceError is null, HangBound.Patience), Is.True);
    }
}
