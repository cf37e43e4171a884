using System.Diagnostics.CodeAnalysis;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using Microsoft.Extensions.Logging;
using VectorPipe.Model.Errors;

namespace VectorPipe.Devices.Uring;

/// <summary>A device queue on one io_uring.</summary>
/// <remarks>
/// <para>An accepted read is in exactly one of three places: the submission queue (<see cref="IoUringRing.Unsubmitted"/>), the kernel, or
/// the finished reads. User data is slot and generation, so a stale or duplicate completion matches no read; the queue counts and drops
/// it.</para>
/// <para>The queue repeats a call after EINTR. After EAGAIN or EBUSY it takes completions and repeats the submission a bounded number of
/// times; the rest goes in with the next call. Any other error faults the queue.</para>
/// </remarks>
internal sealed class IoUringQueue : DeviceQueue
{
    /// <summary>Repeats of a submission without progress, before the next call takes it up.</summary>
    private const int MaxAttempts = 16;

    /// <summary>No read has this user data: slots are below <see cref="DeviceQueueOptions.MaxCapacity"/>.</summary>
    private const ulong CancelUserData = uint.MaxValue;

    private static readonly TimeSpan _refusalPause = TimeSpan.FromMilliseconds(1);

    private readonly IoUringRing _ring;
    private readonly DeviceFiles _files;
    private readonly IoUringQueueLimits _limits;
    private readonly ILogger _logger;
    private readonly DeviceRead?[] _reads;
    private readonly uint[] _generations;
    private readonly Queue<DeviceRead> _finished;
    private long _stray;
    private long _refusedSince;
    private int _faultErrno;
    private bool _isEnabled;
    private bool _isCancelRefused;

    /// <summary>Takes over a ring that is set up and not enabled.</summary>
    public IoUringQueue(
        IoUringRing ring, DeviceFiles files, DeviceQueueOptions options, IoUringQueueLimits limits, ILogger logger, Action onClosed)
        : base(options.Capacity, new ReadRules(files.Count, files.Alignment, options), onClosed)
    {
        _ring = ring;
        _files = files;
        _limits = limits;
        _logger = logger;
        _reads = new DeviceRead?[options.Capacity];
        _generations = new uint[options.Capacity];
        _finished = new Queue<DeviceRead>(options.Capacity);
    }

    public override bool IsFaulted => _faultErrno != 0;
    protected override long SystemCalls => _ring.Enters;
    protected override long StrayCompletions => _stray;

    /// <summary>Reads not finished. After <see cref="TakeBack"/>, all of them are with the kernel or its polling thread.</summary>
    private int Held => InFlight - _finished.Count;

    private int InKernel => InFlight - (int)_ring.Unsubmitted - _finished.Count;

    protected override void Bind()
    {
        _ring.Enable();
        _isEnabled = true;
    }

    protected override void Accept(DeviceRead read)
    {
        uint slot = (uint)read.Slot;
        if (slot >= (uint)_reads.Length)
            throw new ArgumentException($"Expected a slot below the queue's capacity of {Capacity}, found {read.Slot}.", nameof(read));
        if (_reads[slot] is not null)
            throw new InvalidOperationException($"Slot {read.Slot} is still in flight.");
        _reads[slot] = read;
        _ring.AddRead(read, _files[read.File].Descriptor, ((ulong)++_generations[slot] << 32) | slot);
    }

    protected override void Start()
    {
        if (_ring.IsSqPolled)
        {
            if (!IsFaulted && _ring.Unsubmitted > 0)
                Judge(_ring.Publish(), 0);
            return;
        }

        bool isRefused = false;
        for (int attempt = 0; attempt < MaxAttempts && !IsFaulted; attempt++)
        {
            uint waiting = _ring.Unsubmitted;
            if (waiting == 0)
                return;
            // A refused submission may need the kernel's overflown completions flushed first (io_uring_enter(2), EBUSY).
            int result = _ring.Enter(waiting, 0, getEvents: isRefused, default);
            isRefused = result is -Errno.EAGAIN or -Errno.EBUSY;
            if (isRefused)
                Harvest();
            if (Judge(result, waiting))
                attempt = -1;
        }

        AssertInvariants();
    }

    protected override void Gather(int wanted, TimeSpan timeout)
    {
        Harvest();
        if (wanted > 0)
        {
            Wait(wanted, timeout);
        }
        else if (_finished.Count == 0 && InFlight > 0 && _ring.HasWorkInKernel)
        {
            // With deferred task work, only an enter moves completions into the queue (io_uring_setup(2), IORING_SETUP_DEFER_TASKRUN).
            Judge(_ring.Enter(0, 0, getEvents: true, default), 0);
            Harvest();
        }

        AssertInvariants();
    }

    protected override bool TryTake([NotNullWhen(true)] out DeviceRead? read) => _finished.TryDequeue(out read);

    protected override DeviceException FaultError() =>
        new($"The io_uring queue of '{_files.Path}' is faulted by io_uring_enter", _faultErrno);

    protected override void Close(bool isOwner)
    {
        if (_isEnabled)
        {
            TakeBack(-Errno.ECANCELED);
            // Any thread can read posted completions; only the owner can enter the ring.
            Harvest(mayEnter: isOwner);
            if (isOwner && Held > 0)
                Drain();
        }

        int lost = Held;
        if (lost > 0)
            BuffersMayBeWritten = true;
        _ring.Close(isOwner, leakMappings: lost > 0);

        // Last, because a logger may throw.
        if (lost > 0)
            DeviceLog.ReadsLeaked(_logger, lost, _files.Path);
    }

    /// <summary>Waits for the reads that the kernel holds: first as they are, then after cancelling them.</summary>
    private void Drain()
    {
        TimeSpan half = _limits.Drain / 2;
        Wait(_finished.Count + Held, half);
        if (Held == 0)
            return;
        _ring.AddCancelAll(CancelUserData);
        // The cancel is no read and must not count in a wait, so it is submitted alone.
        _ = _ring.Enter(1, 0, getEvents: true, default);
        if (!_ring.IsSqPolled)
            _ring.TakeBackUnsubmitted(static _ => { });
        Harvest();

        // Kernels before 5.19 cannot cancel all reads: a further wait would be in vain.
        if (Held > 0 && !_isCancelRefused)
            Wait(_finished.Count + Held, half);
    }

    /// <summary>Submits and blocks until enough reads have finished or the time is up.</summary>
    private void Wait(int wanted, TimeSpan timeout)
    {
        long start = Stopwatch.GetTimestamp();
        TimeSpan left = timeout;
        SpinWait pause = default;
        bool isRefused = false;
        while (left > TimeSpan.Zero)
        {
            uint waiting = IsFaulted ? 0 : _ring.Unsubmitted;
            int missing = Math.Max(0, wanted - _finished.Count);
            if (missing == 0 && (waiting == 0 || isRefused))
                return;
            // After a refusal, wait for something to finish first; if nothing is in flight, the wait is a pause.
            uint toSubmit = isRefused ? 0 : waiting;
            uint minComplete = (uint)Math.Min(missing, InKernel + (int)toSubmit);
            if (isRefused)
                minComplete = 1;
            TimeSpan bound = isRefused && left > _refusalPause ? _refusalPause : left;
            int result = _ring.Enter(toSubmit, minComplete, getEvents: true, bound);
            bool wasFaulted = IsFaulted;
            Judge(result, waiting);
            isRefused = result is -Errno.EAGAIN or -Errno.EBUSY;
            Harvest();
            if (wasFaulted && result < 0 && result is not (-Errno.ETIME or -Errno.EINTR))
                pause.SpinOnce();
            left = timeout - Stopwatch.GetElapsedTime(start);
        }
    }

    /// <summary>Acts on the result of an enter; returns whether the enter consumed entries.</summary>
    private bool Judge(int result, uint waitingBefore)
    {
        switch (result)
        {
            case >= 0:
            case -Errno.ETIME:
            case -Errno.EINTR:
                bool hasProgress = waitingBefore > 0 && _ring.Unsubmitted < waitingBefore;
                if (hasProgress)
                    _refusedSince = 0;
                return hasProgress;
            case -Errno.EAGAIN:
            case -Errno.EBUSY:
                long now = Stopwatch.GetTimestamp();
                if (_refusedSince == 0)
                    _refusedSince = now;
                else if (InKernel == 0 && Stopwatch.GetElapsedTime(_refusedSince, now) > _limits.Refusal)
                    Fault(-result);
                return false;
            default:
                Fault(-result);
                return false;
        }
    }

    private void Fault(int errno)
    {
        if (IsFaulted)
            return;
        _faultErrno = errno;
        TakeBack(-Errno.EIO);

        // Last, because a logger may throw, and the reads that the kernel never saw must be finished in any case.
        DeviceLog.QueueFaulted(_logger, _files.Path, Errno.Describe(errno), InKernel);
    }

    /// <summary>Finishes the reads that the kernel cannot have seen.</summary>
    private void TakeBack(int result) => _ring.TakeBackUnsubmitted(userData => Finish(userData, result));

    /// <summary>Takes all posted completions.</summary>
    [SkipLocalsInit]
    private void Harvest(bool mayEnter = true)
    {
        Span<IoUringCqe> batch = stackalloc IoUringCqe[64];
        for (int flushes = 0; ;)
        {
            int count = _ring.TakeCompletions(batch);
            for (int i = 0; i < count; i++)
                Finish(batch[i].UserData, batch[i].Result);
            if (count > 0)
                continue;
            // An enter that gets events moves overflown completions into the queue (io_uring_enter(2), IORING_ENTER_GETEVENTS).
            if (!mayEnter || !_ring.IsOverflown || ++flushes > MaxAttempts)
                return;
            _ = _ring.Enter(0, 0, getEvents: true, default);
        }
    }

    private void Finish(ulong userData, int result)
    {
        uint slot = (uint)userData;
        if (slot >= (uint)_reads.Length || _reads[slot] is not { } read || _generations[slot] != (uint)(userData >> 32))
        {
            if (userData != CancelUserData)
                _stray++;
            else if (result == -Errno.EINVAL)
                _isCancelRefused = true;
            return;
        }

        _reads[slot] = null;
        read.Result = result;
        _finished.Enqueue(read);
        _refusedSince = 0;
    }

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        Debug.Assert(InKernel >= 0, "More reads are waiting and finished than are in flight.");
        int held = 0;
        foreach (DeviceRead? read in _reads)
            held += read is null ? 0 : 1;
        Debug.Assert(held == InFlight - _finished.Count, "Reads in slots and reads in flight differ.");
    }
}
