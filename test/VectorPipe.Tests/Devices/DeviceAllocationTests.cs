using NUnit.Framework;
using VectorPipe.Devices;

namespace VectorPipe.Tests.Devices;

/// <summary>Reads allocate nothing, on any device.</summary>
[TestFixtureSource(typeof(DeviceUnderTest), nameof(DeviceUnderTest.Bare))]
[Alone]
internal sealed class DeviceAllocationTests(DeviceUnderTest underTest)
{
    private const int Block = QueueHarness.BlockSize;
    private const int WarmUpReads = 5_000;

    // The test host's own threads allocate now and then, less in a short window: that of a quarter of the reads.
    // One object of 24 bytes a read would be 30,000 bytes.
    private const long HostBytes = 4_000;

    [TestCase(5_000)]
    [TestCase(20_000, Category = "Heavy")]
    public void Reading_allocates_nothing(int reads)
    {
        Assume.That(
            OperatingSystem.IsWindows() && $"{underTest}" is not ("memory" or "memory-ring"), Is.False,
            "The runtime allocates what waits for a read there.");
        using PatternFile file = new(1 << 20);
        using IDevice device = underTest.Open(file.Path);
        using QueueHarness harness = new(device, 64);
        for (int slot = 0; slot < 64; slot++)
            harness.Enqueue(slot, slot * Block, Block);
        Run(harness, WarmUpReads);
        long thread = Allocations.OfThread(() => Run(harness, reads));
        long process = Allocations.Of(() => Run(harness, reads / 4), HostBytes - 1).Process;
        Assert.That(thread, Is.Zero, "bytes allocated by the thread that reads");
        Assert.That(process, Is.LessThan(HostBytes), "bytes allocated by the whole process");
    }

    private static void Run(QueueHarness harness, int reads)
    {
        for (int total = 0; total < reads;)
        {
            int count = harness.Queue.Reap(harness.Done, 1, QueueHarness.Patience);
            total += count;
            for (int i = 0; i < count; i++)
            {
                harness.Done[i].Offset = (total + i) % 250 * Block;
                if (!harness.Queue.TryEnqueue(harness.Done[i]))
                    throw new InvalidOperationException("Refused below capacity.");
            }
        }
    }
}
