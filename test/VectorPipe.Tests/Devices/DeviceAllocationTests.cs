using NUnit.Framework;
using VectorPipe.Devices;

namespace VectorPipe.Tests.Devices;

/// <summary>Reads allocate nothing, on any device.</summary>
[TestFixtureSource(typeof(DeviceUnderTest), nameof(DeviceUnderTest.Bare))]
[NonParallelizable]
internal sealed class DeviceAllocationTests(DeviceUnderTest underTest)
{
    private const int Block = QueueHarness.BlockSize;
    private const int Reads = 20_000;

    // The test host's own threads allocate now and then, less in a short window. One object of 24 bytes a read would be 120,000 bytes.
    private const int ReadsOfProcess = Reads / 4;
    private const long HostBytes = 4_000;

    [Test]
    public void Reading_allocates_nothing()
    {
        using PatternFile file = new(1 << 20);
        using IDevice device = underTest.Open(file.Path);
        using QueueHarness harness = new(device, 64);
        for (int slot = 0; slot < 64; slot++)
            harness.Enqueue(slot, slot * Block, Block);
        Run(harness, Reads / 4);
        long thread = Allocations.OfThread(() => Run(harness, Reads));
        long process = Allocations.Of(() => Run(harness, ReadsOfProcess), HostBytes - 1).Process;
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
