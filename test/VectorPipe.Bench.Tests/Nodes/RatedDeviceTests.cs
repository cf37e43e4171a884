using System.Diagnostics;
using NUnit.Framework;
using VectorPipe.Bench.Nodes;
using VectorPipe.Bench.Tests.Infrastructure;
using VectorPipe.Conformance;
using VectorPipe.Devices;
using VectorPipe.Devices.Memory;
using VectorPipe.Devices.Native;

namespace VectorPipe.Bench.Tests.Nodes;

/// <summary>A device of a given rate is a device, and no faster than that.</summary>
public sealed class RatedDeviceTests
{
    [TestCaseSource(typeof(DeviceChecks), nameof(DeviceChecks.Names))]
    public void It_keeps_the_promises_of_a_device(string check)
    {
        using var folder = new TempFolder();
        DeviceChecks.Run(check, new DeviceSubject(folder[""], paths => new RatedDevice(DefaultDevice.Open(paths), Times(1_000_000))));
    }

    [Test]
    public void Devices_that_share_times_have_the_rate_together()
    {
        const int rate = 1000, readsOfEach = 40;
        using var folder = new TempFolder();
        File.WriteAllBytes(folder["file"], new byte[NativeBuffer.Alignment]);
        ServiceTimes times = Times(rate);
        using var buffer = new NativeBuffer(NativeBuffer.Alignment);
        using var first = new RatedDevice(DefaultDevice.Open([folder["file"]]), times);
        using var second = new RatedDevice(DefaultDevice.Open([folder["file"]]), times);
        var options = new DeviceQueueOptions { Capacity = 4, SlabAddress = buffer.Address, SlabLength = (long)buffer.Length };
        using IDeviceQueue a = first.OpenQueue(options), b = second.OpenQueue(options);
        long start = Stopwatch.GetTimestamp();
        for (int i = 0; i < readsOfEach; i++)
        {
            Read(a, buffer);
            Read(b, buffer);
        }

        // The first read is due after the time of one, too.
        Assert.That(Stopwatch.GetElapsedTime(start), Is.GreaterThanOrEqualTo(TimeSpan.FromSeconds(2.0 * readsOfEach / rate)));
    }

    private static ServiceTimes Times(int readsPerSecond) => new(latencyUs: 0, readsPerSecond);

    private static void Read(IDeviceQueue queue, NativeBuffer buffer)
    {
        var read = new OneRead { Address = buffer.Address, Length = NativeBuffer.Alignment };
        Assert.That(queue.TryEnqueue(read));
        Assert.That(queue.Reap(new DeviceRead[1], 1, TimeSpan.FromMinutes(1)), Is.EqualTo(1));
        Assert.That(read.Result, Is.EqualTo(read.Length));
    }

    private sealed class OneRead() : DeviceRead(0);
}
