namespace VectorPipe.Pipeline.Streams;

/// <content>Issues reads, receives them when they land, and returns their ops.</content>
internal sealed unsafe partial class ReadStream
{
    private readonly int _maxReads;
    private long _firstRead;
    private long _nextRead;
    private int _readsAhead;
    private int _held;
    private StreamRead _alone;
    private long _aloneTag = -1;
    private bool _isAlone;

    public PendingIoOutcome OnRead(PendingIoContext op)
    {
        if (IsWanted(op))
        {
            ref StreamRead read = ref ReadOf(op);
            if (read.Error is null)
            {
                read.Op = op;
                _source.OnLanded(read.State);
                return PendingIoOutcome.Keep;
            }
        }

        _held--;
        return PendingIoOutcome.Done;
    }

    public void OnReadFailed(PendingIoContext op, Exception error)
    {
        _held--;
        if (!IsWanted(op))
            return;
        ref StreamRead read = ref ReadOf(op);
        read.Error ??= error;
    }

    /// <summary>Whether the stream still waits for a read: no reset dropped it, and no failure was reported before it ended.</summary>
    private bool IsWanted(PendingIoContext op) =>
        op.Ticket == _ticket && (op.Tag < 0 ? _isAlone && op.Tag == _aloneTag : op.Tag >= _firstRead);

    private ref StreamRead ReadOf(PendingIoContext op) => ref op.Tag < 0 ? ref _alone : ref _reads[op.Tag & _readMask];

    /// <summary>Whether the read of the next range was issued in an earlier call and has not landed.</summary>
    private bool IsHeadOut()
    {
        if (_pinned == 0 || _units[_firstUnit & _unitMask].Read is var number && number == StreamUnit.None)
            return false;
        ref StreamRead read = ref _reads[number & _readMask];
        return !read.HasLanded && read.Call < _calls;
    }

    /// <returns>False if no op is free: the read stays pending.</returns>
    private bool TryIssuePending()
    {
        ReadRange first = _units[(_firstUnit + _pinned) & _unitMask].Range;
        ref StreamRead read = ref _reads[_nextRead & _readMask];
        read = new StreamRead { Count = _pendingCount, Left = _pendingCount, Call = _calls };
        if (!TryIssue(first, _pendingBytes, _nextRead, ref read))
        {
            if (_session.Free <= _session.Spared)
                _lookAhead.Limit(_pinned);
            return false;
        }

        _nextRead++;
        _readsAhead++;
        _pinned += _pendingCount;
        _pendingCount = _pendingBytes = 0;
        _lookAhead.OnIssued();
        AssertInvariants();
        return true;
    }

    private bool TryIssue(in ReadRange range, int bytes, long tag, ref StreamRead read)
    {
        // Ops of reads that a reset dropped count until they land, so memory stays within its bound.
        if (_held > _maxReads || _session.Free <= _session.Spared)
            return false;
        int before = _session.Pending;
        bool isIssued = false;
        try
        {
            isIssued = _session.TryIssue(range.File, range.Offset, bytes, this, _ticket, tag);
        }
        catch (Exception e) when (e is DeviceException or ArgumentException)
        {
            // The consumer receives the error when it reaches the range. A failed submit leaves an accepted read behind, which ends alone.
            read.Error = e;
        }

        if (_session.Pending > before)
            _held++;
        if (isIssued)
        {
            Reads++;
            read.State = range.State;
            _source.OnIssued(range.State);
        }

        return isIssued || read.Error is not null;
    }

    /// <summary>The consumer has reached a read that has landed.</summary>
    private void Reach(ref StreamRead read)
    {
        if (read.IsReached)
            return;
        read.IsReached = true;
        _readsAhead--;
        Waits += read.WasAwaited ? 1 : 0;
        _lookAhead.OnReached(read.WasAwaited);
    }

    /// <summary>Serves a range whose read has failed. If the read was combined, the range alone may be readable.</summary>
    private ReadStatus StepAlone(in StreamUnit unit, ref StreamRead read, out ReadBuffer buffer)
    {
        buffer = default;

        // A device that is lost or too slow would fail each range again.
        if (read.Count == 1 || !_options.ReadsFailedAlone || read.Error is not DeviceException { ErrorNumber: > 0 })
            throw Fail(unit, read.Error!);
        if (!_isAlone)
        {
            _alone = default;
            if (!TryIssue(unit.Range, unit.Range.Length, --_aloneTag, ref _alone))
                return ReadStatus.NotReady;
            _isAlone = true;
        }

        if (!_alone.HasLanded)
            return ReadStatus.NotReady;
        return _alone.Error is { } error ? throw Fail(unit, error) : HandOut(unit, (nint)_alone.Op!.Pointer, out buffer);
    }

    private Exception Fail(in StreamUnit unit, Exception error)
    {
        Take(unit);
        return _source.Explain(unit.Range, error);
    }

    /// <summary>The consumer is done with the last range that it received.</summary>
    private void ReleaseCurrent()
    {
        if (_currentRead == StreamUnit.None)
            return;
        ref StreamRead read = ref _reads[_currentRead & _readMask];
        _currentRead = StreamUnit.None;
        if (_isAlone)
        {
            GiveBack(ref _alone);
            _isAlone = false;
        }

        if (--read.Left > 0)
            return;
        GiveBack(ref read);
        _firstRead++;
    }

    private void GiveBack(ref StreamRead read)
    {
        if (read.Op is not { } op)
            return;
        read.Op = null;
        _held--;
        _session.Return(op);
    }

    /// <summary>Drops every range that the consumer has not received.</summary>
    private void Drop()
    {
        ReleaseCurrent();
        _ticket++;
        for (long number = _firstRead; number < _nextRead; number++)
            GiveBack(ref _reads[number & _readMask]);
        GiveBack(ref _alone);
        _isAlone = false;
        _firstRead = _nextRead;
        _firstUnit += Placed;
        _pinned = _pendingCount = _pendingBytes = _readsAhead = 0;
        _ungot = null;
    }
}
