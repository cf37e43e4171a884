using System.Diagnostics;
using VectorPipe.Devices.Native;
using VectorPipe.Devices;
using VectorPipe.Model.Errors;

namespace VectorPipe.Pipeline;

/// <summary>
/// One run thread's world: a device queue, a pool of pending ops with their buffers, and a ready queue. The run thread issues reads and
/// drains: reap what has landed, let the owners look at it, issue again what they send on, submit.
/// </summary>
/// <remarks>
/// <para>Single-threaded by contract, from the first issue to disposal.</para>
/// <para>Ops are allocated once. <see cref="Pending"/> counts issued minus finished and is exact at every point that anyone can observe: it
/// goes up only when the device has accepted a read, it stays up while an op is sent on, and it goes down last, in a finally.</para>
/// </remarks>
internal sealed unsafe partial class PendingIoSession : IDisposable
{
    private static readonly TimeSpan _longestWait = TimeSpan.FromMinutes(1);

    /// <summary>
    /// Pause instructions between two looks: some tens of nanoseconds, so that a look does not delay the other hardware thread.
    /// </summary>
    private const int PollPause = 8;

    /// <summary>
    /// A wait ends when one in so many of the reads in flight has landed, not at the first: fewer wake-ups. At depth 64 on a disk that
    /// completes some 7 reads at a
    /// time, eight rounds in turn with fio: reads a second 0.93 / 1.00 / 0.99 of fio's, processor time a read 0.78 / 0.66 / 0.65 of fio's,
    /// waiting for
    /// one / a sixteenth / an eighth; 0.094 system calls a read in all three. A session with fewer than 32 in flight waits for one.
    /// </summary>
    private const int WaitShare = 16;

    /// <summary>
    /// Looks that find nothing, at the least, before a read is overdue: whatever stopped the thread, what has landed meanwhile is found
    /// first.
    /// </summary>
    private const int LooksBeforeOverdue = 4;

    private readonly IDeviceQueue _queue;
    private readonly NativeBuffer _buffers;
    private readonly PendingIoContext[] _ops;
    private readonly PendingIoContext[] _free;
    private readonly ReadyQueue _ready;
    private readonly int _alignment;
    private readonly int _submitEvery;
    private readonly TimeProvider _pollClock;
    private readonly long _pollTicks;
    private readonly int _maxAttempts;
    private readonly long _readTimeoutMs;
    private readonly AttendedClock _clock;
    private int _freeCount;
    private int _unsubmitted;
    private int _abandoned;
    private int _kept;
    private long _overdueAtMs;
    private long _retries;
    private readonly Action _pause;
    private bool _disposed;

    /// <param name="device">Where to read from; outlives the session.</param>
    /// <param name="options">Limits.</param>
    /// <exception cref="DeviceException">The device cannot open a queue.</exception>
    public PendingIoSession(IDevice device, PendingIoOptions options)
    {
        options.Validated();
        _alignment = Math.Max(1, device.Alignment);
        _maxAttempts = options.MaxAttempts;
        _pause = options.Pause;
        _readTimeoutMs = Math.Max(1, (long)options.ReadTimeout.TotalMilliseconds);
        _clock = new AttendedClock(options.NowMs, Math.Max(1, _readTimeoutMs / LooksBeforeOverdue));
        BufferBytes = options.BufferBytes;
        _buffers = new NativeBuffer((nuint)options.Capacity * (nuint)options.BufferBytes);
        try
        {
            _queue = device.OpenQueue(new DeviceQueueOptions { Capacity = options.Capacity, Buffers = _buffers });
        }
        catch
        {
            _buffers.Dispose();
            throw;
        }

        try
        {
            // A device whose own ring is smaller is the throttle: the session is never larger than its queue, so issuing cannot fail for
            // want of room.
            Capacity = Math.Min(options.Capacity, _queue.Capacity);
            _pollClock = options.PollClock;
            _pollTicks = options.PollUs * _pollClock.TimestampFrequency / 1_000_000;
            _submitEvery = options.SubmitEvery ?? Math.Max(8, Capacity / 4);
            _ready = new ReadyQueue(Capacity);
            _ops = new PendingIoContext[Capacity];
            _free = new PendingIoContext[Capacity];
            for (int i = 0; i < Capacity; i++)
                _ops[i] = new PendingIoContext(i, _buffers.Pointer + (nint)i * options.BufferBytes, options.BufferBytes, _clock);

            // The op given back last is rented next: its buffer is the one most likely in cache.
            for (int i = 0; i < Capacity; i++)
                _free[i] = _ops[Capacity - 1 - i];
            _freeCount = Capacity;
            _overdueAtMs = _clock.Ms + _readTimeoutMs;
        }
        catch
        {
            _queue.Dispose();
            _buffers.Dispose();
            throw;
        }
    }

    /// <summary>Most ops at once.</summary>
    public int Capacity { get; }

    /// <summary>Bytes of each op's buffer.</summary>
    public int BufferBytes { get; }

    /// <summary>Reads issued and not finished.</summary>
    public int Pending { get; private set; }

    /// <summary>Ops whose bytes have landed and whose owners have not given them back.</summary>
    public int Kept => _kept;

    /// <summary>Ops that can be issued now.</summary>
    public int Free => _freeCount;

    /// <summary>
    /// Free ops that streams leave alone: somebody else waits for one. A stream takes an op in the same breath in which it gives one back,
    /// so that others would never find any.
    /// </summary>
    public int Spared { get; set; }

    /// <summary>Issues beyond the first of a request: after transient errors and short reads.</summary>
    public long Retries => _retries;

    /// <summary>Reads that the device handed back although it did not hold them; dropped, and 0 on a sound device.</summary>
    public long StrayCompletions => _ready.Strays;

    /// <summary>Counts of the device queue.</summary>
    public DeviceCounters Counters => _queue.Counters;

    /// <summary>Whether the device can no longer serve, or holds reads that have timed out.</summary>
    public bool IsFaulted => _queue.IsFaulted || _abandoned > 0;

    /// <summary>Why the device queue can no longer serve; null while it can.</summary>
    public DeviceException? Fault => _queue.FaultCause;

    /// <summary>Issues a read.</summary>
    /// <param name="file">The device's file.</param>
    /// <param name="offset">First byte; a multiple of the device's alignment.</param>
    /// <param name="length">Bytes; a multiple of the device's alignment, at most <see cref="BufferBytes"/>.</param>
    /// <param name="owner">Told when the bytes are there, from within a drain.</param>
    /// <param name="ticket">Comes back with the op.</param>
    /// <param name="tag">Comes back with the op.</param>
    /// <returns>False if no op is free: the caller keeps the request and tries again after a drain.</returns>
    /// <exception cref="DeviceException">The device is faulted, or every op waits for a read that has timed out. Nothing was
    /// counted.</exception>
    public bool TryIssue(int file, long offset, int length, IPendingIoOwner owner, long ticket, long tag)
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        if (_freeCount == 0)
        {
            // A caller that is refused tries again after a drain: it must not, if no drain can ever bring an op back.
            return _abandoned < Capacity ? false : throw new DeviceException(
                $"All {Capacity} reads that may be in flight have timed out and were not given back by the device: {DescribeInFlight()}");
        }

        PendingIoContext op = _free[_freeCount - 1];
        op.Begin(owner, ticket, tag, file, offset, length);
        _freeCount--;
        bool accepted = false;
        try
        {
            op.Arm();
            accepted = _queue.TryEnqueue(op);
        }
        finally
        {
            if (accepted)
            {
                Pending++;
            }
            else
            {
                op.Release();
                _freeCount++;
            }
        }

        if (accepted)
            SubmitWhenDue();
        AssertInvariants();
        return accepted;
    }

    /// <summary>One turn: submits what was issued, reaps what has landed, serves every ready op.</summary>
    /// <remarks>
    /// Reads that are sent on within the turn are submitted every so many (<see cref="PendingIoOptions.SubmitEvery"/>), the rest by the
    /// next turn, together with its
    /// wait in one system call. Whoever has other work to do before the next turn calls <see cref="Submit"/>.
    /// </remarks>
    /// <param name="wait">Longest time to block while nothing has landed; zero never blocks. It never blocks while the device holds no
    /// read, nor beyond the
    /// moment at which a read becomes overdue.</param>
    /// <returns>Ops served.</returns>
    public int Drain(TimeSpan wait)
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        Reap(wait);
        int served = 0;
        while (_ready.TryPop(out PendingIoContext op))
        {
            served++;
            if (op.State == PendingIoState.Abandoned)
                Reclaim(op);
            else
                Serve(op);
        }

        FailOverdue();
        AssertInvariants();
        if (_waiters.Count > 0)
            TellWaiters();
        return served;
    }

    /// <summary>Takes back an op that its owner has kept (<see cref="PendingIoOutcome.Keep"/>), once it is done with the bytes.</summary>
    /// <exception cref="InvalidOperationException">The op is not kept: it was given back before, or it was never the caller's.</exception>
    public void Return(PendingIoContext op)
    {
        if (op.State != PendingIoState.Kept)
            throw new InvalidOperationException($"Expected an op that its owner has kept, found slot {op.Slot} in state {op.State}.");
        op.Release();
        _free[_freeCount++] = op;
        _kept--;
        AssertInvariants();
    }

    /// <summary>
    /// Starts what was issued if the device has nothing else to do: for callers who go on to other work between two turns.
    /// </summary>
    public void SubmitIfIdle()
    {
        if (_unsubmitted > 0 && _queue.InFlight == _unsubmitted)
            Submit();
    }

    /// <summary>Starts everything issued so far.</summary>
    public void Submit()
    {
        if (_unsubmitted == 0)
            return;
        _queue.Submit();
        _unsubmitted = 0;
    }

    /// <summary>Lets another thread dispose the session. The caller sees to it that the thread of the session no longer uses it.</summary>
    public void Disown() => _queue.Disown();

    /// <summary>
    /// Waits for what the device still holds, within its bound, and frees the buffers unless the kernel may still write to them.
    /// </summary>
    public void Dispose()
    {
        if (_disposed)
            return;
        _disposed = true;
        _queue.Dispose();
        if (!_queue.BuffersMayBeWritten)
            _buffers.Dispose();
    }

    private void Reap(TimeSpan wait)
    {
        wait = UntilOverdue(wait, 0);
        int waitFor = wait > TimeSpan.Zero && _ready.Count == 0 && _queue.InFlight > 0 ? Math.Max(1, _queue.InFlight / WaitShare) : 0;
        if (waitFor > 0 && _pollTicks > 0)
        {
            if (Poll(wait))
                return;
            wait = UntilOverdue(wait, (long)wait.TotalMilliseconds);
            if (wait == TimeSpan.Zero)
                waitFor = 0;
        }

        if (waitFor == 0)
            Submit();

        Span<DeviceRead> space = _ready.FreeSpan;
        int reaped = _queue.Reap(space, waitFor, waitFor > 0 ? wait : _longestWait);
        _ready.Commit(reaped);

        // A reap that waits submits in the same call. One that throws may not have come so far.
        if (waitFor > 0)
        {
            _unsubmitted = 0;
            _clock.Look((long)wait.TotalMilliseconds);
        }

        // The free part of the ring may wrap around: what did not fit before its end goes to its beginning.
        if (reaped == space.Length && _queue.InFlight > 0)
            _ready.Commit(_queue.Reap(_ready.FreeSpan, 0, _longestWait));
    }

    /// <summary>
    /// Looks for completions for a bounded time, before the thread sleeps for them: a wake-up costs more than many looks.
    /// </summary>
    /// <returns>Whether something landed.</returns>
    private bool Poll(TimeSpan wait)
    {
        Submit();
        long end = _pollClock.GetTimestamp() + Math.Min(_pollTicks, (long)(wait.TotalSeconds * _pollClock.TimestampFrequency));
        do
        {
            int reaped = _queue.Reap(_ready.FreeSpan, 0, _longestWait);
            if (reaped > 0)
            {
                _ready.Commit(reaped);
                return true;
            }

            Thread.SpinWait(PollPause);
        }
        while (_pollClock.GetTimestamp() < end && !_queue.IsFaulted);
        return false;
    }

    private void Serve(PendingIoContext op)
    {
        op.MarkDraining();
        PendingIoOutcome outcome = PendingIoOutcome.Done;
        try
        {
            outcome = ServeCore(op);
        }
        finally
        {
            if (outcome == PendingIoOutcome.Keep)
            {
                op.MarkKept();
                _kept++;
                Pending--;
            }
            else if (outcome == PendingIoOutcome.Done)
            {
                op.Release();
                _free[_freeCount++] = op;
                Pending--;
            }
        }

        // Only now: the device holds an op that was issued again, and a submit that fails must not give its buffer away.
        if (outcome == PendingIoOutcome.Reissue)
            SubmitWhenDue();
    }

    /// <summary>What became of the op; sent on only if the device has taken it again.</summary>
    private PendingIoOutcome ServeCore(PendingIoContext op)
    {
        IPendingIoOwner owner = op.Owner!;
        int result = op.Result;
        if (result > 0)
        {
            op.Land(result, _alignment);
            if (op.Landed == op.RequestLength)
                return owner.OnRead(op) is var outcome && outcome == PendingIoOutcome.Reissue ? Reissue(op, owner) : outcome;
        }
        else if (result == 0)
        {
            owner.OnReadFailed(
                op,
                new DeviceException(
                    $"Reading {op.RequestLength} bytes at {op.RequestOffset} of file {op.RequestFile} met the end of the file after "
                    + $"{op.Landed} bytes"));
            return PendingIoOutcome.Done;
        }
        else if (-result is not (Errno.EINTR or Errno.EAGAIN or Errno.ENOMEM))
        {
            owner.OnReadFailed(
                op,
                new DeviceException($"Reading {op.RequestLength} bytes at {op.RequestOffset} of file {op.RequestFile} failed", -result));
            return PendingIoOutcome.Done;
        }

        if (op.Attempts >= _maxAttempts)
        {
            owner.OnReadFailed(op, result < 0
                ? new DeviceException(
                    $"Reading {op.RequestLength} bytes at {op.RequestOffset} of file {op.RequestFile} failed {op.Attempts} times", -result)
                : new DeviceException(
                    $"Reading {op.RequestLength} bytes at {op.RequestOffset} of file {op.RequestFile} came short {op.Attempts} times; "
                    + $"{op.Landed} bytes have landed"));
            return PendingIoOutcome.Done;
        }

        // Want of memory passes within moments; an interrupted or a short read goes on at once.
        if (-result is Errno.EAGAIN or Errno.ENOMEM)
            _pause();
        _retries++;
        return Reissue(op, owner);
    }

    private PendingIoOutcome Reissue(PendingIoContext op, IPendingIoOwner owner)
    {
        op.Arm();
        Exception? refusal = null;
        try
        {
            if (_queue.TryEnqueue(op))
                return PendingIoOutcome.Reissue;
        }
        catch (DeviceException e)
        {
            refusal = e;
        }

        owner.OnReadFailed(
            op,
            refusal
            ?? new DeviceException(
                $"The device queue refused a read of {op.RequestLength} bytes at {op.RequestOffset} of file {op.RequestFile}: "
                + $"{DescribeInFlight()}"));
        return PendingIoOutcome.Done;
    }

    private void SubmitWhenDue()
    {
        if (++_unsubmitted >= _submitEvery)
            Submit();
    }

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        Debug.Assert(Pending + _freeCount + _abandoned + _kept == Capacity, "every op is in the pool, pending, kept, or abandoned");
        Debug.Assert(_queue.InFlight + _ready.Count <= Capacity, "in flight and undrained together never exceed the capacity");
    }
}
