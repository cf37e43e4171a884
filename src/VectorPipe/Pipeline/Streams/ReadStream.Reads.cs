namespace VectorPipe.Pipeline.Streams;

/// <content>Issues reads, takes in what lands, and gives ops back.</content>
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

    /// <inheritdoc/>
    public PendingIoOutcome OnRead(PendingIoContext op)
    {
        if (IsWanted(op))
        {
            ref StreamRead read = ref ReadOf(op);
            if (read.Error is null)
            {
                read.Op = op;
                return PendingIoOutcome.Keep;
            }
        }

        _held--;
        return PendingIoOutcome.Done;
    }

    /// <inheritdoc/>
    public void OnReadFailed(PendingIoContext op, Exception error)
    {
        _held--;
        if (!IsWanted(op))
            return;
        ref StreamRead read = ref ReadOf(op);
        read.Error ??= error;
    }

    /// <summary>Whether a read is still waited for: not dropped by a reset, nor reported as failed before it ended.</summary>
    private bool IsWanted(PendingIoContext op) =>
        op.Ticket == _ticket && (op.Tag < 0 ? _isAlone && op.Tag == _aloneTag : op.Tag >= _firstRead);

    private ref StreamRead ReadOf(PendingIoContext op) => ref op.Tag < 0 ? ref _alone : ref _reads[op.Tag & _readMask];

    /// <summary>Whether the next range is being read since an earlier call.</summary>
    private bool IsHeadOut()
    {
        if (_pinned == 0 || _units[_firstUnit & _unitMask].Read is var number && number == StreamUnit.None)
            return false;
        ref StreamRead read = ref _reads[number & _readMask];
        return !read.HasLanded && read.Call < _calls;
    }

    /// <returns>False if there is no op for it: it stays pending.</returns>
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
        // Ops of reads that a reset has dropped count until they land: memory stays within its bound.
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
            // Its turn to be reported comes with its range. A submit that failed leaves an accepted read behind, which ends by itself.
            read.Error = e;
        }

        if (_session.Pending > before)
            _held++;
        Reads += isIssued ? 1 : 0;
        return isIssued || read.Error is not null;
    }

    /// <summary>The consumer has come to a read that has landed.</summary>
    private void Reach(ref StreamRead read)
    {
        if (read.IsReached)
            return;
        read.IsReached = true;
        _readsAhead--;
        Waits += read.WasAwaited ? 1 : 0;
        _lookAhead.OnReached(read.WasAwaited);
    }

    /// <summary>A range whose read has failed: by itself it may be readable, unless it was by itself.</summary>
    private ReadStatus StepAlone(in StreamUnit unit, ref StreamRead read, out ReadBuffer buffer)
    {
        buffer = default;

        // A device that is lost, or too slow, is so for each of them.
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

    /// <summary>The consumer is done with the range that it was handed last.</summary>
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

    /// <summary>Forgets all that is on its way.</summary>
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
        Current = default;
    }
}
