using NUnit.Framework;
using VectorPipe.Devices;

namespace VectorPipe.Tests.Devices;

/// <summary>Files and depth.</summary>
internal sealed partial class DeviceConformanceTests
{
    [Test]
    public void Several_files_are_read_by_their_numbers()
    {
        using PatternFile other = new(3 * Block);
        byte[] shifted = PatternFile.Bytes(3 * Block);
        Array.Reverse(shifted);
        File.WriteAllBytes(other.Path, shifted);
        using IDevice device = underTest.Open(_file.Path, other.Path, _file.Path);
        Assert.That(
            (device.FileCount, device.LengthOf(0), device.LengthOf(1), device.LengthOf(2)),
            Is.EqualTo((3, FileLength, 3 * Block, FileLength)));
        using QueueHarness harness = new(device, 9);
        for (int slot = 0; slot < 9; slot++)
        {
            TestRead read = harness.Prepare(slot, slot / 3 * Block, Block);
            read.File = slot % 3;
            Assert.That(harness.Queue.TryEnqueue(read), Is.True);
        }

        Assert.That(harness.ReapAll(), Is.EqualTo(9));
        for (int slot = 0; slot < 9; slot++)
        {
            byte[] expected = slot % 3 == 1 ? shifted : PatternFile.Bytes(3 * Block);
            Assert.That(harness.Buffer(slot)[..Block].SequenceEqual(expected.AsSpan(slot / 3 * Block, Block)), Is.True, $"slot {slot}");
        }
    }

    [TestCase(-1)]
    [TestCase(1)]
    public void A_file_number_out_of_range_is_refused(int file)
    {
        using QueueHarness harness = new(_device, 1);
        TestRead read = harness.Prepare(0, 0, Block);
        read.File = file;
        Assert.That(() => harness.Queue.TryEnqueue(read), Throws.ArgumentException.With.Message.Contains($"file {file}"));
        Assert.That(harness.Queue.InFlight, Is.Zero);
    }

    [Test]
    public void The_requested_depth_bounds_a_queue()
    {
        DeviceUnderTest shallow = underTest with { Options = underTest.Options with { QueueDepth = 4 } };
        using IDevice device = shallow.Open(_file.Path);
        using QueueHarness harness = new(device, 64);
        Assert.That(harness.Queue.Capacity, Is.EqualTo(4));
        for (int round = 0; round < 50; round++)
        {
            int accepted = 0;
            while (harness.Queue.TryEnqueue(harness.Prepare(accepted, accepted * Block, Block)))
                accepted++;
            Assert.That(accepted, Is.EqualTo(4));
            Assert.That(harness.ReapAll(), Is.EqualTo(4));
        }

        Assert.That(harness.Queue.Counters.HighWater, Is.EqualTo(4));
    }
}
