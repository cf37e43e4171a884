using System.Diagnostics;
using Microsoft.Extensions.Logging.Abstractions;
using NUnit.Framework;
using VectorPipe.Devices.Memory;

namespace VectorPipe.Tests.Devices.Memory;

[Alone]
public sealed class LocalMemoryDeviceTests
{
    [TestCase(1, 1)]
    [TestCase(2048, 2048)]
    [TestCase(3000, 4096)]
    [TestCase((1 << 30) - 1, 1 << 30)]
    [TestCase((1 << 30) + 1, 1 << 30)]
    [TestCase(int.MaxValue, 1 << 30)]
    public void Ring_capacity_is_rounded_up_without_overflow(int asked, int expected) =>
        Assert.That(LocalMemoryOptions.RoundUpCapacity(asked), Is.EqualTo(expected));

    [Test]
    public void The_ring_is_the_throttle()
    {
        using LocalMemoryDevice device = Open(new LocalMemoryOptions { Mode = LocalMemoryMode.Ring, RingCapacity = 3 });
        using QueueHarness harness = new(device, 64);
        Assert.That(harness.Queue.Capacity, Is.EqualTo(4));
        for (int slot = 0; slot < 4; slot++)
            harness.Enqueue(slot, 0, 4096);
        Assert.That(harness.Queue.TryEnqueue(harness.Prepare(4, 0, 4096)), Is.False);
        Assert.That(harness.ReapAll(), Is.EqualTo(4));
    }

    [TestCase(0)]
    [TestCase(1)]
    public void Reads_with_a_latency_overlap(int mode)
    {
        const int latencyUs = 100_000;
        using LocalMemoryDevice device = Open(new LocalMemoryOptions { Mode = (LocalMemoryMode)mode, LatencyUs = latencyUs });
        using QueueHarness harness = new(device, 64);
        long start = Stopwatch.GetTimestamp();
        for (int slot = 0; slot < 64; slot++)
            harness.Enqueue(slot, 0, 4096);
        harness.Queue.Submit();
        int early = harness.Queue.Reap(harness.Done, 1, TimeSpan.FromMilliseconds(1));
        if (Stopwatch.GetElapsedTime(start) < TimeSpan.FromMicroseconds(latencyUs))
            Assert.That(early, Is.Zero, "Nothing is due yet.");
        Assert.That(early + harness.ReapAll(), Is.EqualTo(64));
        TimeSpan elapsed = Stopwatch.GetElapsedTime(start);
        // In sequence they would take 64 latencies. The bound is half of that, so that a busy machine does not fail the test.
        Assert.That(elapsed, Is.InRange(TimeSpan.FromMicroseconds(latencyUs), TimeSpan.FromMicroseconds(32.0 * latencyUs)));
    }

    [TestCase((int)LocalMemoryMode.Inline)]
    [TestCase((int)LocalMemoryMode.Ring)]
    public void Queues_share_the_reads_that_a_device_serves_a_second(int mode)
    {
        using LocalMemoryDevice device = Open(new LocalMemoryOptions { Mode = (LocalMemoryMode)mode, ReadsPerSecond = 200 });
        using QueueHarness first = new(device, 16);
        using QueueHarness second = new(device, 16);
        long start = Stopwatch.GetTimestamp();
        foreach (QueueHarness harness in new[] { first, second })
        {
            for (int slot = 0; slot < 16; slot++)
                harness.Enqueue(slot, 0, 4096);
            harness.Queue.Submit();
        }

        Assert.That(first.ReapAll() + second.ReapAll(), Is.EqualTo(32));
        Assert.That(Stopwatch.GetElapsedTime(start), Is.GreaterThanOrEqualTo(TimeSpan.FromSeconds(32 / 200.0)), "one every 5 ms");
    }

    [Test]
    public void Threads_share_the_queues()
    {
        using LocalMemoryDevice device = Open(new LocalMemoryOptions { Mode = LocalMemoryMode.Ring, Threads = 2 });
        using QueueHarness first = new(device, 8);
        using QueueHarness second = new(device, 8);
        using QueueHarness third = new(device, 8);
        foreach (QueueHarness harness in new[] { first, second, third })
        {
            for (int slot = 0; slot < 8; slot++)
                harness.Enqueue(slot, 0, 4096);
        }

        Assert.That(third.ReapAll() + second.ReapAll() + first.ReapAll(), Is.EqualTo(24));
    }

    [TestCase(0, 1, 0)]
    [TestCase(1, 0, 0)]
    [TestCase(1, 1, -1)]
    public void Options_out_of_range_are_refused(int capacity, int threads, int latencyUs) => Assert.That(
        () => Open(new LocalMemoryOptions { RingCapacity = capacity, Threads = threads, LatencyUs = latencyUs }),
        Throws.TypeOf<ArgumentOutOfRangeException>());

    [TestCase(0)]
    [TestCase(10_000_001)]
    public void Rates_out_of_range_are_refused(int readsPerSecond) => Assert.That(
        () => Open(new LocalMemoryOptions { ReadsPerSecond = readsPerSecond }), Throws.TypeOf<ArgumentOutOfRangeException>());

    private static LocalMemoryDevice Open(LocalMemoryOptions options) =>
        new(PatternFile.Bytes(64 * 1024), options, NullLogger.Instance);
}
