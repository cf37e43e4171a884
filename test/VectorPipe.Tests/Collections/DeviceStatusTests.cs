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
