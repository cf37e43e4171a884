using System.Diagnostics;
using System.Runtime.ExceptionServices;

namespace VectorPipe.Pipeline.Streams;

/// <summary>
/// Reads what a source names, ahead of its consumer and in the source's order: adjacent ranges in one read, as many reads ahead as the
/// consumer would otherwise have to wait for.
/// </summary>
/// <remarks>
/// <para>Belongs to the session's run thread. Everything is allocated when it is made; a step allocates nothing. Disposed before the
/// session; reads in flight may land later.</para>
/// <para>Bounded: at most <see cref="ReadStreamOptions.MaxReads"/> reads and <see cref="ReadStreamOptions.MaxAhead"/> ranges are ahead of
/// the consumer, so a call asks the source
/// no more often than that, and a consumer that stops holds no more. A source that has to search long for the next range yields
/// (<see cref="ReadStep.Yield"/>).</para>
/// <para>Errors come in order, in place of their buffer, and the next call goes on behind them. When a read of several ranges fails, all of
/// them do,
/// unless they are to be read again one by one (<see cref="ReadStreamOptions.ReadsFailedAlone"/>). What the source itself throws is the
/// end.</para>
/// <para>Pausing keeps the look-ahead's distance and needs no draining: what was asked for before comes out first, each with the state that
/// the source gave it.
/// <see cref="Reset"/> drops it. Orders that make no sense are <see cref="InvalidOperationException"/>s.</para>
/// </remarks>
internal sealed unsafe partial class ReadStream : IPendingIoOwner, IDisposable
{
    // Bounds how late a cancellation is noticed behind a slow device.
    private static readonly TimeSpan _wait = TimeSpan.FromMilliseconds(20);

    private readonly PendingIoSession _session;
    private readonly IReadSource _source;
    private readonly ReadStreamOptions _options;
    private readonly StreamUnit[] _units;
    private readonly StreamRead[] _reads;
    private readonly int _unitMask;
    private readonly int _readMask;
    private LookAhead _lookAhead;
    private long _ticket;
    private long _calls;
    private long _firstUnit;
    private long _currentRead = StreamUnit.None;
    private bool _ended;
    private bool _paused;
    private bool _disposed;
    private Exception? _sourceError;

    /// <param name="session">Reads; its buffers bound the length of a range and of a merged read. It may serve others, too.</param>
    /// <param name="source">Says what.</param>
    /// <param name="options">Limits.</param>
    public ReadStream(PendingIoSession session, IReadSource source, ReadStreamOptions options)
    {
        _session = session;
        _source = source;
        _options = options.Validated();
        _maxReads = Math.Max(1, options.MaxReads);
        _lookAhead = new LookAhead(options);
        _units = new StreamUnit[(int)System.Numerics.BitOperations.RoundUpToPowerOf2((uint)options.MaxAhead + 1)];
        _reads = new StreamRead[(int)System.Numerics.BitOperations.RoundUpToPowerOf2((uint)_maxReads + 2)];
        _unitMask = _units.Length - 1;
        _readMask = _reads.Length - 1;
    }

    /// <summary>What came of the last call for a buffer.</summary>
    public ReadStatus Status { get; private set; }

    /// <summary>The buffer of the last call that brought one.</summary>
    public ReadBuffer Current { get; private set; }

    /// <summary>Ranges that were asked for and not handed out.</summary>
    public int Buffered => Placed + (_ungot is null ? 0 : 1);

    /// <summary>Reads that were issued and not reached by the consumer.</summary>
    public int ReadsAhead => _readsAhead;

    /// <summary>Ranges that may be ahead of the consumer at present.</summary>
    public int Distance => _lookAhead.Distance;

    /// <summary>Whether the source is not asked before <see cref="Resume"/>.</summary>
    public bool IsPaused => _paused;

    /// <summary>Reads issued since the stream was made.</summary>
    public long Reads { get; private set; }

    /// <summary>Reads that the consumer had to wait for.</summary>
    public long Waits { get; private set; }

    /// <summary>The next buffer; waits for it, draining the session, if need be.</summary>
    /// <param name="buffer">Receives it; valid until the stream is next called.</param>
    /// <param name="cancellationToken">Ends the wait; the buffer is still the next.</param>
    /// <returns>Whether there is one; if not, <see cref="Status"/> says why: end, pause or yield.</returns>
    public bool TryGetNext(out ReadBuffer buffer, CancellationToken cancellationToken = default)
    {
        Enter();

        // What has landed unnoticed was not waited for.
        if (IsHeadOut())
            _session.Drain(TimeSpan.Zero);
        bool isStuck = false;
        while ((Status = Step(out buffer)) == ReadStatus.NotReady)
        {
            if (isStuck)
                throw new InvalidOperationException(
                    $"Expected an op to read with, found all {_session.Capacity} of the session held by others: "
                    + $"{_session.DescribeInFlight()}.");
            cancellationToken.ThrowIfCancellationRequested();
            isStuck = _session.Drain(_wait) == 0 && _session.Pending == 0;
        }

        // The consumer works now, and the disk should, too.
        _session.SubmitIfIdle();
        return Status == ReadStatus.Buffer;
    }

    /// <summary>The next buffer if it is here; neither waits nor drains: for run threads that serve others, too.</summary>
    /// <param name="buffer">Receives it; valid until the stream is next called.</param>
    public ReadStatus TryGetNextNoWait(out ReadBuffer buffer)
    {
        Enter();
        return Status = Step(out buffer);
    }

    /// <summary>
    /// Lets the source alone until <see cref="Resume"/>. What was asked for still comes. Pausing again changes nothing, nor does pausing
    /// what has ended.
    /// </summary>
    public void Pause()
    {
        Enter();
        _paused = true;
    }

    /// <summary>Has the source asked again, with the next call, at the distance that there was.</summary>
    /// <param name="mustBeDrained">Whether buffers that were asked for before the pause are an error: for a consumer to whom they would
    /// mean something else now.</param>
    /// <exception cref="InvalidOperationException">The stream is not paused; or it is not drained, and must be.</exception>
    public void Resume(bool mustBeDrained = false)
    {
        Enter();
        if (!_paused)
            throw new InvalidOperationException(
                "Expected a stream that is paused, found one that is not: neither was it paused by its consumer, nor has its source come "
                + "to a pause.");
        if (mustBeDrained && Buffered > 0)
            throw new InvalidOperationException(
                $"Expected nothing that was asked for before the pause, found {Buffered} ranges: take them, or reset the stream.");
        _paused = false;
    }

    /// <summary>
    /// Begins anew: drops what was asked for and is not handed out, and forgets end, pause and error. Reads in flight are dropped when they
    /// land.
    /// </summary>
    /// <param name="keepDistance">Whether the look-ahead goes on at the distance that it has reached; otherwise it starts as at the
    /// beginning.</param>
    public void Reset(bool keepDistance = false)
    {
        Enter();
        Drop();
        _ended = _paused = false;
        _sourceError = null;
        if (!keepDistance)
            _lookAhead.Reset();
    }

    /// <summary>Drops everything. Idempotent.</summary>
    public void Dispose()
    {
        if (_disposed)
            return;
        _disposed = true;
        Drop();
        EndWait();
    }

    private int Placed => _pinned + _pendingCount;

    private void Enter()
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        if (_isAsking)
            throw new InvalidOperationException("Expected a call from the stream's consumer, found one from within its source.");
        if (_isAwaited)
            throw new InvalidOperationException("Expected one call at a time, found a second one while a buffer is awaited.");
        _calls++;
    }

    private ReadStatus Step(out ReadBuffer buffer)
    {
        buffer = default;
        ReleaseCurrent();
        if (_pinned == 0)
            AskAhead();
        if (_pinned == 0)
            return StatusWithoutRanges();
        StreamUnit unit = _units[_firstUnit & _unitMask];
        nint address = unit.Range.Address;
        if (unit.Read != StreamUnit.None)
        {
            ref StreamRead read = ref _reads[unit.Read & _readMask];
            if (!read.HasLanded)
            {
                read.WasAwaited = true;
                return ReadStatus.NotReady;
            }

            Reach(ref read);
            if (read.Error is not null)
                return StepAlone(unit, ref read, out buffer);
            address = (nint)read.Op!.Pointer + unit.Start;
        }

        return HandOut(unit, address, out buffer);
    }

    private ReadStatus HandOut(in StreamUnit unit, nint address, out ReadBuffer buffer)
    {
        Take(unit);
        Current = buffer = new ReadBuffer(unit.Range, address);
        if (_options.MaxReads > 0)
            AskAhead();
        _source.Verify(buffer);
        return ReadStatus.Buffer;
    }

    /// <summary>The consumer has the range from here on, or its error.</summary>
    private void Take(in StreamUnit unit)
    {
        _firstUnit++;
        _pinned--;
        _currentRead = unit.Read;
        AssertInvariants();
    }

    private ReadStatus StatusWithoutRanges()
    {
        if (_pendingCount > 0 || _ungot is not null)
            return ReadStatus.NotReady;
        if (_sourceError is not null)
            ExceptionDispatchInfo.Throw(_sourceError);
        return _ended ? ReadStatus.End : _paused ? ReadStatus.Paused : ReadStatus.Yielded;
    }

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        Debug.Assert(_pinned >= 0 && _pendingCount >= 0 && Placed <= _options.MaxAhead, "what is ahead is bounded");
        Debug.Assert(_readsAhead >= 0 && _readsAhead <= _maxReads, "reads ahead are bounded");
        Debug.Assert(_nextRead - _firstRead <= _reads.Length, "every read has a place");
    }
}
