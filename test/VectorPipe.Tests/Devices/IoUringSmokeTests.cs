using Microsoft.Extensions.Logging.Abstractions;
using NUnit.Framework;
using VectorPipe.Devices;

namespace VectorPipe.Tests.Devices;

public sealed unsafe class IoUringSmokeTests
{
    [Test]
    public void Reads_land()
    {
        using PatternFile file = new(1 << 20);
        using IoUringDevice device = new(DeviceFile.Open(file.Path, NullLogger.Instance), NullLogger.Instance);
        using NativeBuffer slab = new(64 * 4096);
        using IDeviceQueue queue = device.OpenQueue(new DeviceQueueOptions { Capacity = 64, Buffers = slab });
        Random random = new(1);
        DeviceRead[] done = new DeviceRead[64];
        TestRead[] reads = [.. Enumerable.Range(0, 64).Select(i => new TestRead(i))];
        int total = 0;
        for (int i = 0; i < 64; i++)
            Go(reads[i]);
        while (total < 20_000)
        {
            int n = queue.Reap(done, 1, TimeSpan.FromSeconds(5));
            Assert.That(n, Is.GreaterThan(0));
            total += n;
            for (int i = 0; i < n; i++)
            {
                Assert.That(done[i].Result, Is.EqualTo(4096));
                Assert.That(*(byte*)done[i].Address, Is.EqualTo(PatternFile.ByteAt(done[i].Offset)));
                Go((TestRead)done[i]);
            }
        }

        TestContext.Out.WriteLine($"{queue.Counters} align {device.Alignment} {slab.Length}");
        void Go(TestRead read)
        {
            read.Offset = random.Next(256) * 4096L;
            read.Length = 4096;
            read.Address = (nint)slab.Pointer + (read.Slot * 4096);
            Assert.That(queue.TryEnqueue(read), Is.True);
        }
    }
}
