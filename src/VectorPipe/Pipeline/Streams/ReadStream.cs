using System.Diagnostics;
using System.Runtime.ExceptionServices;

namespace VectorPipe.Pipeline.Streams;

/// <summary>Reads the ranges that a source names, in their order and ahead of the consumer; adjacent ranges share a read.</summary>
/// <remarks>
/// <para>Belongs to the session's run thread. The constructor makes all allocations. Dispose it before the session; reads in flight may
/// land later.</para>
/// <para>Bounded: at most <see cref="ReadStreamOptions.MaxReads"/> reads and <see cref="ReadStreamOptions.MaxAhead"/> ranges are ahead of
/// the consumer. A source that searches long for the next range yields (<see cref="ReadStep.Yield"/>).</para>
/// <para>Errors come in order, in place of their buffer, and the next call continues after them. All ranges of a failed read fail, unless
/// <see cref="ReadStreamOptions.ReadsFailedAlone"/> is set. An exception of the source ends the stream.</para>
/// <para>A pause keeps the look-ahead distance and needs no draining: the ranges named before it come out first.</para>
/// </remarks>
internal sealed unsafe partial class ReadStream : IPendingIoOwner, IDisposable
{
    // The longest delay of a cancellation behind a slow device.
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

    /// <param name="session">Reads; its buffers bound the length of a range and of a combined read. It may serve other owners, too.</param>
    /// <param name="source">Names the ranges.</param>
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

    /// <summary>The result of the last call for a buffer.</summary>
    public ReadStatus Status { get; private set; }

    /// <summary>Ranges that the source has named and the consumer has not received.</summary>
    public int Buffered => Placed + (_ungot is null ? 0 : 1);

    /// <summary>Reads that the consumer has not reached.</summary>
    public int ReadsAhead => _readsAhead;

    /// <summary>Ranges that may be ahead of the consumer.</summary>
    public int Distance => _lookAhead.Distance;

    public bool IsPaused => _paused;
    public long Reads { get; private set; }

    /// <summary>Reads that the consumer had to wait for.</summary>
    public long Waits { get; private set; }

    /// <summary>Takes the next buffer; drains the session until it has landed.</summary>
    /// <param name="buffer">Receives it; valid until the next call of the stream.</param>
    /// <param name="cancellationToken">Ends the wait; the buffer remains the next.</param>
    /// <returns>Whether there is a buffer; if not, <see cref="Status"/> says why: end, pause or yield.</returns>
    public bool TryGetNext(out ReadBuffer buffer, CancellationToken cancellationToken = default)
    {
        Enter();

        // A read that has landed unnoticed does not count as waited for.
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

        // The consumer works from here on, and the disk should work, too.
        _session.SubmitIfIdle();
        return Status == ReadStatus.Buffer;
    }

    /// <summary>Takes the next buffer if it has landed; neither waits nor drains: for run threads that serve other owners, too.</summary>
    /// <param name="buffer">Receives it; valid until the next call of the stream.</param>
    public ReadStatus TryGetNextNoWait(out ReadBuffer buffer)
    {
        Enter();
        return Status = Step(out buffer);
    }

    /// <summary>Stops asking the source until <see cref="Resume"/>. Ranges named before still come. Idempotent.</summary>
    public void Pause()
    {
        Enter();
        _paused = true;
    }

    /// <summary>Resumes the source on the next call and keeps the look-ahead distance.</summary>
    /// <param name="mustBeDrained">Whether ranges from before the pause are an error: for a consumer that would mistake them for new
    /// ones.</param>
    /// <exception cref="InvalidOperationException">The stream is not paused; or it is not drained, and must be.</exception>
    public void Resume(bool mustBeDrained = false)
    {
        Enter();
        if (!_paused)
            throw new InvalidOperationException("Expected a stream that its consumer or its source has paused, found one that is not.");
        if (mustBeDrained && Buffered > 0)
            throw new InvalidOperationException(
                $"Expected nothing from before the pause, found {Buffered} ranges: take them, or reset the stream.");
        _paused = false;
    }

    /// <summary>Drops the ranges that the consumer has not received, and clears end, pause and error.</summary>
    /// <param name="keepDistance">Whether the look-ahead keeps its distance; otherwise it starts over.</param>
    public void Reset(bool keepDistance = false)
    {
        Enter();
        Drop();
        _ended = _paused = false;
        _sourceError = null;
        if (!keepDistance)
            _lookAhead.Reset();
    }

    /// <summary>Drops every range. Idempotent.</summary>
    public void Dispose()
    {
        if (_disposed)
            return;
        _disposed = true;
        Drop();
    }

    private int Placed => _pinned + _pendingCount;

    private void Enter()
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        if (_isAsking)
            throw new InvalidOperationException("Expected a call from the stream's consumer, found one from within its source.");
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
        buffer = new ReadBuffer(unit.Range, address);
        if (_options.MaxReads > 0)
            AskAhead();
        _source.Verify(buffer);
        return ReadStatus.Buffer;
    }

    /// <summary>Gives the range, or its error, to the consumer.</summary>
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
