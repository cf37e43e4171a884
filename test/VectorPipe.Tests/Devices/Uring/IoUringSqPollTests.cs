using Microsoft.Extensions.Logging.Abstractions;
using NUnit.Framework;
using VectorPipe.Devices.Uring;
using VectorPipe.Devices;
using VectorPipe.Model.Errors;
using VectorPipe.Model.Open;

namespace VectorPipe.Tests.Devices.Uring;

/// <summary>A ring whose entries a kernel thread consumes when it pleases.</summary>
[Platform("Linux")]
[NonParallelizable]
public sealed class IoUringSqPollTests
{
    private const int Block = QueueHarness.BlockSize;
    private static readonly IoUringQueueLimits _short = new(TimeSpan.FromMilliseconds(20), TimeSpan.FromMilliseconds(5));
    private PatternFile _file = null!;
    private SimulatedUringSystem _kernel = null!;
    private IoUringDevice _device = null!;

    [SetUp]
    public void Open()
    {
        _file = new PatternFile(64 * Block);
        _kernel = new SimulatedUringSystem(PatternFile.Bytes(_file.Length));
        _device = new IoUringDevice(
            DeviceFiles.Open(
                [_file.Path],
                NullLogger.Instance), new DeviceOptions { Kind = DeviceKind.Uring, Tuning = new DeviceTuning { SqPoll = true } },
                NullLogger.Instance, _kernel, _short);
    }

    [TearDown]
    public void Close()
    {
        _device.Dispose();
        _kernel.Dispose();
        _file.Dispose();
    }

    [Test]
    public void A_sleeping_thread_is_woken_once_and_a_waking_one_never()
    {
        using QueueHarness harness = new(_device, 8);
        harness.Enqueue(0, 0, Block);
        harness.Queue.Submit();
        Assert.That(_kernel.EnterFlags, Is.Empty, "The thread is awake: it sees the entry by itself.");
        _kernel.FallAsleep();
        harness.Enqueue(1, Block, Block);
        harness.Queue.Submit();
        harness.Enqueue(2, Block, Block);
        harness.Queue.Submit();
        Assert.That(_kernel.EnterFlags.Count(flags => (flags & IoUringAbi.EnterSqWakeup) != 0), Is.EqualTo(1));
        _kernel.Poll();
        Assert.That(harness.ReapAll(), Is.EqualTo(3));
    }

    [Test]
    public void A_thread_that_is_late_loses_and_doubles_nothing()
    {
        _kernel.IsLate = true;
        using QueueHarness harness = new(_device, 8);
        for (int round = 1; round <= 20; round++)
        {
            for (int slot = 0; slot < 8; slot++)
                harness.Enqueue(slot, slot * Block, Block);
            harness.Queue.Submit();
            Assert.That(harness.Queue.Reap(harness.Done, 1, TimeSpan.FromMilliseconds(1)), Is.Zero);
            Assert.That(harness.Queue.TryEnqueue(harness.Prepare(8, 0, Block)), Is.False, "What the thread has not come to is in flight.");
            _kernel.Poll();
            Assert.That(harness.ReapAll(), Is.EqualTo(8));
            Assert.That(harness.Reads.Take(8).Select(read => read.HandedBack), Is.All.EqualTo(round));
        }
    }

    [Test]
    public void Disposal_waits_for_the_thread_to_come_to_what_was_published()
    {
        QueueHarness harness = new(_device, 8);
        for (int slot = 0; slot < 4; slot++)
            harness.Enqueue(slot, slot * Block, Block);
        harness.Queue.Submit();
        harness.Enqueue(4, 0, Block);
        harness.Dispose();
        Assert.That(harness.Queue.BuffersMayBeWritten, Is.False);
        Assert.That(_kernel.Opcodes, Has.Count.EqualTo(4));
        Assert.That(harness.Reads[4].Result, Is.EqualTo(-Errno.ECANCELED), "The thread could not have seen it.");
    }

    [Test]
    public void Disposal_leaks_the_buffers_of_entries_that_the_thread_never_came_to()
    {
        _kernel.IsLate = true;
        QueueHarness harness = new(_device, 8);
        harness.Enqueue(0, 0, Block);
        harness.Queue.Submit();
        harness.Dispose();
        Assert.That(harness.Queue.BuffersMayBeWritten, Is.True);
        Assert.That(_kernel.Mapped, Is.EqualTo(2), "The thread may still look at the rings.");
    }
}
