using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Logging;
using NUnit.Framework;
using VectorPipe.Devices.Uring;
using VectorPipe.Devices;
using VectorPipe.Model.Errors;
using VectorPipe.Model.Open;
using VectorPipe.Tests.Devices.Uring;

namespace VectorPipe.Tests.Devices;

/// <summary>Failures while a device opens, faults or closes leave nothing behind.</summary>
[Platform("Linux", Reason = "The ring's structures are read with Linux calls.")]
public sealed class DeviceCleanupTests
{
    private const int Block = QueueHarness.BlockSize;
    private static readonly IoUringQueueLimits _short = new(TimeSpan.FromMilliseconds(20), TimeSpan.FromMilliseconds(5));
    private PatternFile _file = null!;
    private SimulatedUringSystem _kernel = null!;

    [SetUp]
    public void Create()
    {
        _file = new PatternFile(64 * Block);
        _kernel = new SimulatedUringSystem(PatternFile.Bytes(_file.Length));
    }

    [TearDown]
    public void Free()
    {
        _kernel.Dispose();
        _file.Dispose();
    }

    [Test]
    public void A_logger_that_throws_leaves_no_read_of_a_faulted_queue_behind()
    {
        using IoUringDevice device = Open(new ThrowingLogger(static (level, _, _) => level >= LogLevel.Error));
        using QueueHarness harness = new(device, 4);
        _kernel.OnEnter = _ => -Errno.EBADF;
        for (int slot = 0; slot < 4; slot++)
            harness.Enqueue(slot, slot * Block, Block);
        Assert.That(harness.Queue.Submit, Throws.TypeOf<AggregateException>());
        Assert.That(harness.Queue.IsFaulted);
        Assert.That(harness.Queue.Reap(harness.Done, 0, default), Is.EqualTo(4));
        Assert.That(harness.Reads.Take(4).Select(read => read.Result), Is.All.EqualTo(-Errno.EIO));
    }

    [Test]
    public void A_logger_that_throws_does_not_keep_a_ring_open()
    {
        using IoUringDevice device = Open(new ThrowingLogger(static (level, _, _) => level >= LogLevel.Error));
        QueueHarness harness = new(device, 1);
        _kernel.Holds = true;
        _kernel.ObeysCancel = false;
        harness.Enqueue(0, 0, Block);
        harness.Queue.Submit();
        Assert.That(harness.Queue.Dispose, Throws.TypeOf<AggregateException>());
        Assert.That(_kernel.Opened, Is.Zero);
    }

    [Test]
    public void A_logger_that_throws_while_a_queue_opens_does_not_keep_its_ring()
    {
        using IoUringDevice device = Open(new ThrowingLogger());
        Assert.That(() => device.OpenQueue(new DeviceQueueOptions { Capacity = 4 }), Throws.TypeOf<AggregateException>());
        Assert.That((_kernel.Mapped, _kernel.Opened), Is.EqualTo((0, 0)));
    }

    [Test]
    public void A_failing_registration_of_files_does_not_keep_the_ring()
    {
        using IoUringDevice device = Open(NullLogger.Instance);
        _kernel.OnRegister = _ => throw new InvalidOperationException("no");
        Assert.That(() => device.OpenQueue(new DeviceQueueOptions { Capacity = 4 }), Throws.InvalidOperationException);
        Assert.That((_kernel.Mapped, _kernel.Opened), Is.EqualTo((0, 0)));
    }

    [Test]
    public void Registration_of_buffers_waits_for_memory_that_closed_rings_still_hold()
    {
        int refusals = 3;
        _kernel.OnRegister = operation => operation == IoUringAbi.RegisterBuffers && refusals-- > 0 ? Errno.ENOMEM : 0;
        using IoUringDevice device = Open(NullLogger.Instance);
        using QueueHarness harness = new(device, 1);
        harness.Enqueue(0, 0, Block);
        harness.ReapAll();
        Assert.That(_kernel.Opcodes, Is.EqualTo(new[] { IoUringAbi.OpReadFixed }));
    }

    [Test]
    public void Disposal_does_not_wait_for_a_kernel_that_cannot_cancel_all_reads()
    {
        using IoUringDevice device = Open(NullLogger.Instance);
        QueueHarness harness = new(device, 1);
        _kernel.Holds = true;
        _kernel.ObeysCancel = false;
        _kernel.CancelResult = -Errno.EINVAL;
        harness.Enqueue(0, 0, Block);
        harness.Queue.Submit();
        harness.Queue.Dispose();
        Assert.That(_kernel.EntersBehindCancel, Is.Zero);
        Assert.That(harness.Queue.BuffersMayBeWritten);
    }

    [Test]
    public void The_idle_time_of_the_polling_thread_reaches_the_kernel()
    {
        DeviceOptions options = new() { Kind = DeviceKind.Uring, Tuning = new DeviceTuning { SqPoll = true, SqIdleMs = 77 } };
        using IoUringDevice device = Open(NullLogger.Instance, options.Validated());
        using IDeviceQueue queue = device.OpenQueue(new DeviceQueueOptions { Capacity = 4 });
        Assert.That(_kernel.SqThreadIdle, Is.EqualTo(77));
    }

    [Test]
    public void A_bounded_wait_is_rounded_up_to_whole_milliseconds()
    {
        Assert.That(CompletionRing.WholeMilliseconds(TimeSpan.FromTicks(1)), Is.EqualTo(TimeSpan.FromMilliseconds(1)));
        Assert.That(CompletionRing.WholeMilliseconds(TimeSpan.FromMicroseconds(999)), Is.EqualTo(TimeSpan.FromMilliseconds(1)));
        Assert.That(CompletionRing.WholeMilliseconds(TimeSpan.FromMilliseconds(1)), Is.EqualTo(TimeSpan.FromMilliseconds(1)));
        Assert.That(CompletionRing.WholeMilliseconds(TimeSpan.FromMicroseconds(1001)), Is.EqualTo(TimeSpan.FromMilliseconds(2)));
    }

    private IoUringDevice Open(ILogger logger, DeviceOptions? options = null) =>
        new(DeviceFiles.Open([_file.Path], NullLogger.Instance), options ?? DeviceOptions.Default, logger, _kernel, _short);
}
