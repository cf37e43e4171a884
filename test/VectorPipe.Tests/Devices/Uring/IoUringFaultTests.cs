using Microsoft.Extensions.Logging.Abstractions;
using NUnit.Framework;
using VectorPipe.Devices.Choosing;
using VectorPipe.Devices.Uring;
using VectorPipe.Devices;
using VectorPipe.Model.Errors;
using VectorPipe.Model.Open;

namespace VectorPipe.Tests.Devices.Uring;

/// <summary>The queue bears answers that a healthy kernel does not give.</summary>
[Platform("Linux")]
internal sealed class IoUringFaultTests
{
    private const int Block = QueueHarness.BlockSize;
    private SimulatedRing _ring = null!;

    private SimulatedUringSystem Kernel => _ring.Kernel;

    private IoUringDevice Device => _ring.Device;

    private string FilePath => _ring.File.Path;

    [SetUp]
    public void Open() => _ring = new SimulatedRing(DeviceOptions.Default);

    [TearDown]
    public void Close() => _ring.Dispose();

    [Test]
    public void A_kernel_that_takes_one_entry_at_a_time_loses_and_doubles_none()
    {
        Kernel.OnEnter = _ => 1;
        using QueueHarness harness = new(Device, 16);
        Fill(harness, 16);
        harness.Queue.Submit();
        Assert.That(harness.ReapAll(), Is.EqualTo(16));
        Assert.That(harness.Reads.Take(16).Select(r => r.HandedBack), Is.All.EqualTo(1));
        Assert.That(Kernel.Opcodes, Has.Count.EqualTo(16));
    }

    [TestCase(Errno.EINTR)]
    [TestCase(Errno.EAGAIN)]
    [TestCase(Errno.EBUSY)]
    public void A_queue_outlasts_a_storm_of_refusals(int errno)
    {
        int refusals = 50;
        Kernel.OnEnter = toSubmit => toSubmit > 0 && refusals-- > 0 ? -errno : null;
        using IoUringDevice patient = _ring.OpenPatient();
        using QueueHarness harness = new(patient, 8);
        Fill(harness, 8);
        harness.Queue.Submit();
        Assert.That(harness.ReapAll(), Is.EqualTo(8));
        Assert.That(harness.Queue.IsFaulted, Is.False);
        Assert.That(Kernel.Opcodes, Has.Count.EqualTo(8));
    }

    [Test]
    public void Random_refusals_and_partial_submits_keep_every_read_exactly_once()
    {
        int seed = Environment.TickCount;
        TestContext.Out.WriteLine($"seed {seed}");
        Random random = new(seed);
        Kernel.CqLimit = 3;
        Kernel.OnEnter = toSubmit => random.Next(6) switch
        {
            0 when toSubmit > 0 => -Errno.EAGAIN,
            1 when toSubmit > 0 => -Errno.EBUSY,
            2 => -Errno.EINTR,
            3 => random.Next(3),
            _ => null,
        };
        using IoUringDevice patient = _ring.OpenPatient();
        using QueueHarness harness = new(patient, 16);
        for (int round = 1; round <= 300; round++)
        {
            Fill(harness, 16);
            if (random.Next(2) == 0)
                harness.Queue.Submit();
            Assert.That(harness.ReapAll(), Is.EqualTo(16));
            Assert.That(harness.Reads.Take(16).Select(r => r.HandedBack), Is.All.EqualTo(round));
            harness.AssertBytes(harness.Reads[round % 16]);
        }

        Assert.That(Kernel.Opcodes, Has.Count.EqualTo(300 * 16));
    }

    [Test]
    public void Overflowed_completions_are_flushed()
    {
        Kernel.CqLimit = 2;
        using QueueHarness harness = new(Device, 16);
        Fill(harness, 16);
        Assert.That(harness.ReapAll(), Is.EqualTo(16));
        Assert.That(harness.Queue.Counters.StrayCompletions, Is.Zero);
    }

    [Test]
    public void A_completion_that_comes_twice_is_handed_back_once()
    {
        Kernel.Duplicates = true;
        using QueueHarness harness = new(Device, 4);
        for (int round = 0; round < 10; round++)
        {
            Fill(harness, 4);
            Assert.That(harness.ReapAll(), Is.EqualTo(4));
        }

        Assert.That(harness.Reads.Take(4).Select(r => r.HandedBack), Is.All.EqualTo(10));
        Assert.That(harness.Queue.Reap(harness.Done, 0, default), Is.Zero);
        Assert.That(harness.Queue.Counters.StrayCompletions, Is.EqualTo(40));
    }

    [Test]
    public void A_completion_of_an_earlier_use_of_the_slot_is_dropped()
    {
        using QueueHarness harness = new(Device, 1);
        Fill(harness, 1);
        harness.ReapAll();
        Kernel.Holds = true;
        Fill(harness, 1);
        harness.Queue.Submit();
        Kernel.PostStray((1UL << 32) | 0);
        Kernel.PostStray(77);
        Assert.That(harness.Queue.Reap(harness.Done, 1, TimeSpan.FromMilliseconds(1)), Is.Zero);
        Assert.That(harness.Queue.Counters.StrayCompletions, Is.EqualTo(2));
        Kernel.ReleaseHeld();
        Assert.That(harness.ReapAll(), Is.EqualTo(1));
    }

    [Test]
    public void Reap_with_a_time_out_returns_nothing_while_the_kernel_holds_reads()
    {
        Kernel.Holds = true;
        using QueueHarness harness = new(Device, 2);
        Fill(harness, 2);
        Assert.That(harness.Queue.Reap(harness.Done, 1, TimeSpan.FromMilliseconds(2)), Is.Zero);
        Assert.That(harness.Queue.InFlight, Is.EqualTo(2));
        Kernel.ReleaseHeld();
        Assert.That(harness.ReapAll(), Is.EqualTo(2));
    }

    [Test]
    public void Error_numbers_of_reads_are_handed_back_unchanged()
    {
        Kernel.ForcedResult = -Errno.EIO;
        using QueueHarness harness = new(Device, 1);
        Fill(harness, 1);
        harness.ReapAll();
        Assert.That(harness.Reads[0].Result, Is.EqualTo(-Errno.EIO));
        Assert.That(harness.Queue.IsFaulted, Is.False);
    }

    [TestCase(Errno.EBADF)]
    [TestCase(Errno.ENXIO)]
    public void A_fatal_enter_fails_unsubmitted_reads_and_refuses_new_ones(int errno)
    {
        using QueueHarness harness = new(Device, 4);
        Kernel.Holds = true;
        harness.Enqueue(0, 0, Block);
        harness.Queue.Submit();
        harness.Enqueue(1, 0, Block);
        harness.Enqueue(2, 0, Block);
        Kernel.OnEnter = toSubmit => toSubmit > 0 ? -errno : null;
        Assert.That(harness.Queue.Reap(harness.Done, 2, QueueHarness.Patience), Is.EqualTo(2));
        Assert.That(harness.Queue.IsFaulted, Is.True);
        Assert.That(harness.Done.Take(2).Select(r => r.Result), Is.All.EqualTo(-Errno.EIO));
        Assert.That(
            () => harness.Queue.TryEnqueue(harness.Prepare(3, 0, Block)),
            Throws.TypeOf<DeviceException>().With.Property("ErrorNumber").EqualTo(errno));

        // The submitted read comes back with its own result when the kernel has finished it.
        Kernel.ReleaseHeld();
        Assert.That(harness.ReapAll(), Is.EqualTo(1));
        Assert.That(harness.Reads[0].Result, Is.EqualTo(Block));
    }

    [Test]
    public void Refusals_without_end_fault_the_queue()
    {
        Kernel.OnEnter = toSubmit => toSubmit > 0 ? -Errno.EAGAIN : null;
        using QueueHarness harness = new(Device, 2);
        Fill(harness, 2);
        Assert.That(harness.Queue.Reap(harness.Done, 2, QueueHarness.Patience), Is.EqualTo(2));
        Assert.That(harness.Queue.IsFaulted, Is.True);
        Assert.That(harness.Reads.Take(2).Select(r => r.Result), Is.All.EqualTo(-Errno.EIO));
    }

    [Test]
    public void Disposal_cancels_unfinished_reads()
    {
        Kernel.Holds = true;
        QueueHarness harness = new(Device, 4);
        Fill(harness, 4);
        harness.Queue.Submit();
        harness.Dispose();
        Assert.That(harness.Queue.BuffersMayBeWritten, Is.False);
        Assert.That(harness.Reads.Take(4).Select(r => r.Result), Is.All.EqualTo(-Errno.ECANCELED));
        Assert.That((Kernel.Mapped, Kernel.Opened), Is.EqualTo((0, 0)));
    }

    [Test]
    public void Disposal_reports_buffers_to_leak_when_reads_never_come_back()
    {
        Kernel.Holds = true;
        Kernel.ObeysCancel = false;
        QueueHarness harness = new(Device, 4);
        Fill(harness, 3);
        harness.Queue.Submit();
        harness.Dispose();
        Assert.That(harness.Queue.BuffersMayBeWritten, Is.True);
        Assert.That(Kernel.Mapped, Is.EqualTo(2), "The rings stay mapped.");
    }

    [Test]
    public void Reads_of_a_thread_that_has_ended_are_given_up()
    {
        Kernel.Holds = true;
        QueueHarness harness = new(Device, 2);
        Thread owner = new(() =>
        {
            Fill(harness, 1);
            harness.Queue.Submit();
        });
        owner.Start();
        owner.Join();
        harness.Dispose();
        Assert.That(harness.Queue.BuffersMayBeWritten, Is.True);
    }

    [Test]
    public void Reads_that_were_never_submitted_are_not_awaited_at_disposal()
    {
        QueueHarness harness = new(Device, 2);
        Fill(harness, 2);
        harness.Dispose();
        Assert.That(Kernel.Opcodes, Is.Empty);
        Assert.That(harness.Reads.Take(2).Select(r => r.Result), Is.All.EqualTo(-Errno.ECANCELED));
    }

    [Test]
    public void Setup_flags_step_down_until_the_kernel_takes_them()
    {
        Kernel.OnSetup = flags => flags == 0 ? 0 : Errno.EINVAL;
        using (QueueHarness harness = new(Device, 4))
        {
            Fill(harness, 4);
            Assert.That(harness.ReapAll(), Is.EqualTo(4));
        }

        Assert.That(Kernel.SetupFlags, Is.Unique.And.Count.EqualTo(7));
        Assert.That(Kernel.SetupFlags[^1], Is.Zero);
    }

    [TestCase(IoUringAbi.RegisterBuffers, Errno.ENOMEM)]
    [TestCase(IoUringAbi.RegisterBuffers, Errno.EPERM)]
    [TestCase(IoUringAbi.RegisterBuffers, Errno.EFAULT)]
    [TestCase(IoUringAbi.RegisterFiles, Errno.EINVAL)]
    [TestCase(IoUringAbi.RegisterRingFds, Errno.EBUSY)]
    public void A_queue_works_without_a_refused_registration(uint operation, int errno)
    {
        Kernel.OnRegister = o => o == operation ? errno : 0;
        using QueueHarness harness = new(Device, 4);
        Fill(harness, 4);
        Assert.That(harness.ReapAll(), Is.EqualTo(4));
        harness.AssertBytes(harness.Reads[3]);
        byte opcode = operation == IoUringAbi.RegisterBuffers ? IoUringAbi.OpRead : IoUringAbi.OpReadFixed;
        Assert.That(Kernel.Opcodes, Is.All.EqualTo(opcode));
        bool hasRing = operation != IoUringAbi.RegisterRingFds;
        Assert.That((Kernel.EnterFlags[0] & IoUringAbi.EnterRegisteredRing) != 0, Is.EqualTo(hasRing));
    }

    [Test]
    public void A_locked_memory_limit_is_logged_once_for_any_number_of_queues([Values(Errno.ENOMEM, Errno.EPERM)] int errno)
    {
        RecordingLogger logger = new();
        Kernel.OnRegister = o => o == IoUringAbi.RegisterBuffers ? errno : 0;
        using IDevice device = DeviceFactory.Open([FilePath], new DeviceOptions { Kind = DeviceKind.Uring }, logger, Kernel);
        for (int i = 0; i < 5; i++)
        {
            using QueueHarness harness = new(device, 4);
            Fill(harness, 4);
            Assert.That(harness.ReapAll(), Is.EqualTo(4));
            harness.AssertBytes(harness.Reads[3]);
        }

        Assert.That(
            logger.Messages.Where(message => message.Contains("ulimit -l")),
            Has.One.Items.And.All.Contains(Errno.Describe(errno)).And.All.Contains(FilePath));
    }

    [Test]
    public void A_locked_memory_limit_is_an_error_if_registered_buffers_are_required()
    {
        Kernel.OnRegister = o => o == IoUringAbi.RegisterBuffers ? Errno.ENOMEM : 0;
        Assert.That(
            () =>
            DeviceFactory.Open(
                [FilePath], new DeviceOptions { Kind = DeviceKind.Uring, Tuning = new DeviceTuning { RegisterBuffers = true } },
                NullLogger.Instance, Kernel),
            Throws.TypeOf<DeviceException>().With.Message.Contains("ulimit -l").And.Property("ErrorNumber").EqualTo(Errno.ENOMEM));
        Assert.That((Kernel.Mapped, Kernel.Opened), Is.EqualTo((0, 0)));
    }

    [TestCase(Errno.EPERM, "kernel.io_uring_disabled")]
    [TestCase(Errno.EPERM, "seccomp")]
    [TestCase(Errno.ENOSYS, "portable")]
    public void The_error_of_a_forbidden_ring_gives_advice(int errno, string advice)
    {
        Kernel.OnSetup = _ => errno;
        Assert.That(
            () => DeviceFactory.Open([FilePath], new DeviceOptions { Kind = DeviceKind.Uring }, NullLogger.Instance, Kernel),
            Throws.TypeOf<DeviceException>().With.Message.Contains(advice).And.Property("ErrorNumber").EqualTo(errno));
    }

    [TestCase(Errno.EPERM)]
    [TestCase(Errno.ENOSYS)]
    public void Auto_falls_back_to_the_portable_device_and_logs_why(int errno)
    {
        Kernel.OnSetup = _ => errno;
        RecordingLogger logger = new();
        using IDevice device = DeviceFactory.Open([FilePath], new DeviceOptions { Kind = DeviceKind.Auto }, logger, Kernel);
        Assert.That(device.Name, Is.EqualTo("portable"));
        Assert.That(logger.Messages, Has.Some.Contains("portable").And.Contains(Errno.Describe(errno)));
        Assert.That(device.FallbackReason, Does.Contain(Errno.Describe(errno)));
    }

    [TestCase(DeviceKind.Portable)]
    [TestCase(DeviceKind.Memory)]
    public void A_device_that_was_asked_for_is_no_fallback(DeviceKind kind)
    {
        using IDevice device = DeviceFactory.Open([FilePath], new DeviceOptions { Kind = kind }, NullLogger.Instance, Kernel);
        Assert.That(device.FallbackReason, Is.Null);
    }

    [Test]
    public void Auto_falls_back_when_only_the_trial_read_fails()
    {
        Kernel.ForcedResult = -Errno.EOPNOTSUPP;
        using IDevice device = DeviceFactory.Open([FilePath], new DeviceOptions { Kind = DeviceKind.Auto }, NullLogger.Instance, Kernel);
        Assert.That(device.Name, Is.EqualTo("portable"));
    }

    [Test]
    public void A_kernel_without_bounded_waits_is_refused()
    {
        Kernel.Features = 1;
        Assert.That(
            () => DeviceFactory.Open([FilePath], new DeviceOptions { Kind = DeviceKind.Uring }, NullLogger.Instance, Kernel),
            Throws.TypeOf<DeviceException>().With.Message.Contains("5.11"));
        Assert.That(Kernel.Opened, Is.Zero);
    }

    [Test]
    public void A_slot_in_flight_is_not_taken_again()
    {
        Kernel.Holds = true;
        using QueueHarness harness = new(Device, 2);
        harness.Enqueue(0, 0, Block);
        Assert.That(() => harness.Queue.TryEnqueue(harness.Reads[0]), Throws.InvalidOperationException);
        Assert.That(harness.Queue.InFlight, Is.EqualTo(1));
    }

    private static void Fill(QueueHarness harness, int count)
    {
        for (int slot = 0; slot < count; slot++)
            harness.Enqueue(slot, slot * Block, Block);
    }
}
