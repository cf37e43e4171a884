using NUnit.Framework;
using VectorPipe.Devices.Uring;
using VectorPipe.Model.Errors;
using VectorPipe.Model.Open;

namespace VectorPipe.Tests.Devices.Uring;

/// <summary>A ring whose entries a kernel thread consumes at its own pace.</summary>
[Platform("Linux")]
[Alone]
internal sealed class IoUringSqPollTests
{
    private const int Block = QueueHarness.BlockSize;
    private SimulatedRing _ring = null!;

    private SimulatedUringSystem Kernel => _ring.Kernel;

    private IoUringDevice Device => _ring.Device;

    [SetUp]
    public void Open() =>
        _ring = new SimulatedRing(new DeviceOptions { Kind = DeviceKind.Uring, Tuning = new DeviceTuning { SqPoll = true } });

    [TearDown]
    public void Close() => _ring.Dispose();

    [Test]
    public void A_sleeping_thread_is_woken_once_and_a_waking_one_never()
    {
        using QueueHarness harness = new(Device, 8);
        harness.Enqueue(0, 0, Block);
        harness.Queue.Submit();
        Assert.That(Kernel.EnterFlags, Is.Empty, "The thread is awake: it sees the entry by itself.");
        Kernel.FallAsleep();
        harness.Enqueue(1, Block, Block);
        harness.Queue.Submit();
        harness.Enqueue(2, Block, Block);
        harness.Queue.Submit();
        Assert.That(Kernel.EnterFlags.Count(flags => (flags & IoUringAbi.EnterSqWakeup) != 0), Is.EqualTo(1));
        Kernel.Poll();
        Assert.That(harness.ReapAll(), Is.EqualTo(3));
    }

    [Test]
    public void A_late_thread_loses_and_doubles_nothing()
    {
        Kernel.IsLate = true;
        using QueueHarness harness = new(Device, 8);
        for (int round = 1; round <= 20; round++)
        {
            for (int slot = 0; slot < 8; slot++)
                harness.Enqueue(slot, slot * Block, Block);
            harness.Queue.Submit();
            Assert.That(harness.Queue.Reap(harness.Done, 1, TimeSpan.FromMilliseconds(1)), Is.Zero);
            Assert.That(harness.Queue.TryEnqueue(harness.Prepare(8, 0, Block)), Is.False, "The thread has not taken the entries.");
            Kernel.Poll();
            Assert.That(harness.ReapAll(), Is.EqualTo(8));
            Assert.That(harness.Reads.Take(8).Select(read => read.HandedBack), Is.All.EqualTo(round));
        }
    }

    [Test]
    public void Disposal_waits_until_the_thread_has_taken_published_entries()
    {
        QueueHarness harness = new(Device, 8);
        for (int slot = 0; slot < 4; slot++)
            harness.Enqueue(slot, slot * Block, Block);
        harness.Queue.Submit();
        harness.Enqueue(4, 0, Block);
        harness.Dispose();
        Assert.That(harness.Queue.BuffersMayBeWritten, Is.False);
        Assert.That(Kernel.Opcodes, Has.Count.EqualTo(4));
        Assert.That(harness.Reads[4].Result, Is.EqualTo(-Errno.ECANCELED), "The thread could not have seen it.");
    }

    [Test]
    public void Disposal_leaks_the_buffers_of_entries_that_the_thread_never_took()
    {
        Kernel.IsLate = true;
        QueueHarness harness = new(Device, 8);
        harness.Enqueue(0, 0, Block);
        harness.Queue.Submit();
        harness.Dispose();
        Assert.That(harness.Queue.BuffersMayBeWritten, Is.True);
        Assert.That(Kernel.Mapped, Is.EqualTo(2), "The thread may still look at the rings.");
    }
}
