using System.Diagnostics;
using VectorPipe.Devices;
using VectorPipe.Devices.Native;

namespace VectorPipe.Pipeline;

/// <summary>The reads of one run thread: a device queue, a pool of pending ops with their buffers, and a ready queue.</summary>
/// <remarks>
/// <para>Single-threaded by contract, from the first issue to disposal. <see cref="Drain"/> is one turn of the run thread.</para>
/// <para>Ops are allocated once. <see cref="Pending"/> is exact at every point where other code runs: it rises only after the device has
/// accepted a read, stays while an op is issued again, and falls last, in a finally.</para>
/// </remarks>
internal sealed unsafe partial class PendingIoSession : IDisposable
{
    private static readonly TimeSpan _longestWait = TimeSpan.FromMinutes(1);

    /// <summary>
    /// The fewest looks without a completion before a read is overdue: after a stop of the thread, a look finds what has landed meanwhile.
    /// </summary>
    private const int LooksBeforeOverdue = 4;

    private readonly IDeviceQueue _queue;
    private readonly NativeBuffer _buffers;
    private readonly PendingIoContext[] _ops;
    private readonly PendingIoContext[] _free;
    private readonly int _alignment;
    private readonly int _submitEvery;
    private readonly WaitPolling _polling;
    private readonly int _maxAttempts;
    private readonly Action _pause;
    private readonly long _readTimeoutMs;
    private readonly AttendedClock _clock;
    private int _freeCount;
    private int _unsubmitted;
    private int _abandoned;
    private int _kept;
    private long _overdueAtMs;
    private bool _disposed;

    /// <param name="device">The device to read from; outlives the session.</param>
    /// <param name="options">Limits.</param>
    public PendingIoSession(IDevice device, PendingIoOptions options)
    {
        options.Validated();
        _alignment = Math.Max(1, device.Alignment);
        _maxAttempts = options.MaxAttempts;
        _pause = options.Pause;
        _readTimeoutMs = Math.Max(1, (long)options.ReadTimeout.TotalMilliseconds);
        _clock = new AttendedClock(options.NowMs, Math.Max(1, _readTimeoutMs / LooksBeforeOverdue));
        BufferBytes = options.BufferBytes;
        _buffers = new NativeBuffer((nuint)options.Capacity * (nuint)options.BufferBytes, isReused: true);
        try
        {
            _queue = device.OpenQueue(new DeviceQueueOptions
            {
                Capacity = options.Capacity,
                SlabAddress = _buffers.Address,
                SlabLength = (long)_buffers.Length,
            });

            // The session is never larger than its queue, so an issue cannot fail for want of room in the queue.
            Capacity = Math.Min(options.Capacity, _queue.Capacity);
            _polling = new WaitPolling(options.PollUs, options.PollClock);
            _submitEvery = options.SubmitEvery ?? Math.Max(8, Capacity / 4);
            _ready = new DeviceRead[Capacity];
            _ops = new PendingIoContext[Capacity];
            _free = new PendingIoContext[Capacity];

            // The pool is a stack: the op returned last is rented next, because its buffer is most likely in cache.
            for (int i = 0; i < Capacity; i++)
            {
                _ops[i] = new PendingIoContext(i, _buffers.Pointer + (nint)i * options.BufferBytes, options.BufferBytes, _clock);
                _free[Capacity - 1 - i] = _ops[i];
            }

            _freeCount = Capacity;
            _overdueAtMs = _clock.Ms + _readTimeoutMs;
        }
        catch
        {
            _queue?.Dispose();
            _buffers.Dispose();
            throw;
        }
    }

    /// <summary>The most ops at once.</summary>
    public int Capacity { get; }

    /// <summary>Bytes of each op's buffer.</summary>
    public int BufferBytes { get; }

    /// <summary>Reads issued and not finished.</summary>
    public int Pending { get; private set; }

    /// <summary>Ops that owners keep.</summary>
    public int Kept => _kept;

    /// <summary>Ops that can be issued.</summary>
    public int Free => _freeCount;

    /// <summary>Whether the memory of the buffers was freed.</summary>
    internal bool BuffersAreFreed => _buffers.IsFreed;

    /// <summary>
    /// Free ops that streams leave to another owner that waits for one. A stream rents an op as soon as it returns one, so without this
    /// the other owner would never find any.
    /// </summary>
    public int Spared { get; set; }

    /// <summary>Issues of a request beyond the first: after transient errors and short reads.</summary>
    public long Retries { get; private set; }

    /// <summary>Reads that the device handed back although it did not hold them; dropped, and 0 on a sound device.</summary>
    public long StrayCompletions { get; private set; }

    public DeviceCounters Counters => _queue.Counters;

    /// <summary>Whether the device can no longer serve, or holds reads that have timed out.</summary>
    public bool IsFaulted => _queue.IsFaulted || _abandoned > 0;

    /// <summary>Why the device queue can no longer serve; null while it can.</summary>
    public DeviceException? Fault => _queue.FaultCause;

    /// <summary>Issues a read.</summary>
    /// <param name="file">The device's file.</param>
    /// <param name="offset">First byte; a multiple of the device's alignment.</param>
    /// <param name="length">Bytes; a multiple of the device's alignment, at most <see cref="BufferBytes"/>.</param>
    /// <param name="owner">Receives the bytes, in a drain.</param>
    /// <param name="ticket">Comes back with the op.</param>
    /// <param name="tag">Comes back with the op.</param>
    /// <returns>False if no op is free: the caller keeps the request and tries again after a drain.</returns>
    /// <exception cref="DeviceException">The device is faulted, or every op is held by a read that has timed out. Nothing was
    /// counted.</exception>
    public bool TryIssue(int file, long offset, int length, IPendingIoOwner owner, long ticket, long tag)
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        if (_freeCount == 0)
        {
            // A refused caller tries again after a drain. If no drain can ever free an op, it must stop.
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
                Pending++;
            else
                GiveBack(op);
        }

        if (accepted)
            SubmitWhenDue();
        AssertInvariants();
        return accepted;
    }

    /// <summary>One turn: submits issued reads, reaps completions, and serves every ready op.</summary>
    /// <remarks>
    /// Reads issued within the turn are submitted every <see cref="PendingIoOptions.SubmitEvery"/>; the rest waits for the next turn, which
    /// submits and waits in one system call. A caller with other work before its next turn calls <see cref="Submit"/>.
    /// </remarks>
    /// <param name="wait">The longest time to block while nothing has landed; zero never blocks. The call does not block while the device
    /// holds no read, nor beyond the moment at which a read becomes overdue.</param>
    /// <returns>Ops served.</returns>
    public int Drain(TimeSpan wait)
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        Reap(wait);
        int served = 0;
        while (_readyNext < _readyEnd)
        {
            var op = (PendingIoContext)_ready[_readyNext++];
            served++;
            if (op.State == PendingIoState.Abandoned)
                Reclaim(op);
            else
                Serve(op);
        }

        _readyNext = _readyEnd = 0;
        FailOverdue();
        AssertInvariants();
        return served;
    }

    /// <summary>Takes an op back that its owner has kept (<see cref="PendingIoOutcome.Keep"/>).</summary>
    /// <exception cref="InvalidOperationException">The op is not kept: it was returned before, or it never was the caller's.</exception>
    public void Return(PendingIoContext op)
    {
        if (op.State != PendingIoState.Kept)
            throw new InvalidOperationException($"Expected an op that its owner has kept, found slot {op.Slot} in state {op.State}.");
        GiveBack(op);
        _kept--;
        AssertInvariants();
    }

    /// <summary>Submits if the device has nothing else to do: for callers with other work between two turns.</summary>
    public void SubmitIfIdle()
    {
        if (_unsubmitted > 0 && _queue.InFlight == _unsubmitted)
            Submit();
    }

    /// <summary>Starts every read issued so far.</summary>
    public void Submit()
    {
        if (_unsubmitted == 0)
            return;
        _queue.Submit();
        _unsubmitted = 0;
    }

    /// <summary>Lets another thread dispose the session. The caller ensures that the session's own thread no longer uses it.</summary>
    public void Disown() => _queue.Disown();

    /// <summary>Waits, bounded, for the reads in flight, and frees the buffers unless the kernel may still write to them.</summary>
    public void Dispose()
    {
        if (_disposed)
            return;
        _disposed = true;
        _queue.Dispose();
        if (!_queue.BuffersMayBeWritten)
            _buffers.Dispose();
    }

    private void SubmitWhenDue()
    {
        if (++_unsubmitted >= _submitEvery)
            Submit();
    }

    private void GiveBack(PendingIoContext op)
    {
        op.Release();
        _free[_freeCount++] = op;
    }

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        Debug.Assert(Pending + _freeCount + _abandoned + _kept == Capacity, "every op is in the pool, pending, kept, or abandoned");
        Debug.Assert(_queue.InFlight + Ready <= Capacity, "in flight and undrained together never exceed the capacity");
        Debug.Assert(_readyNext >= 0 && Ready >= 0 && _readyEnd <= Capacity, "ready ops lie within their room");
    }
}
