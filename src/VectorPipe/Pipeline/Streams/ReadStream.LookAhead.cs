using VectorPipe.Model.Errors;

namespace VectorPipe.Pipeline.Streams;

/// <content>Asks the source ahead of the consumer, and combines adjacent ranges into reads.</content>
internal sealed unsafe partial class ReadStream
{
    private int _pinned;
    private int _pendingCount;
    private int _pendingBytes;
    private ReadRange? _ungot;
    private bool _isAsking;

    /// <summary>Asks the source for as many ranges as may be ahead, and issues the reads that are ripe.</summary>
    private void AskAhead()
    {
        bool stops = false;
        while (!stops && MayAsk())
        {
            if (IsRipe())
            {
                if (!TryIssuePending())
                    return;
                continue;
            }

            stops = !TryAsk(out ReadRange range);
            if (stops)
                break;
            bool isApart = range.Address != 0 || !Extends(range);
            if (isApart && _pendingCount > 0 && !TryIssuePending())
            {
                _ungot = range;
                return;
            }

            Append(range);
        }

        // Issue the pending read if no range can join it any more, or if nothing else is in flight.
        if (_pendingCount > 0 && _readsAhead < _maxReads && (stops || _ended || _paused || IsRipe()))
            TryIssuePending();
    }

    // A range that was named before a pause is still delivered.
    private bool MayAsk() => (_ungot is not null || (!_ended && !_paused)) && _readsAhead < _maxReads && Placed < _lookAhead.Distance;

    /// <summary>Whether the pending read should wait for no further range.</summary>
    private bool IsRipe() =>
        _pendingCount > 0
        && _readsAhead < _maxReads
        && (_pendingCount >= _lookAhead.CombineDistance || IsFull() || (_pinned == 0 && !MayAsk()));

    /// <summary>Whether the pending read has no room for another range of the last one's length.</summary>
    private bool IsFull()
    {
        int last = _units[(_firstUnit + Placed - 1) & _unitMask].Range.Length;
        return _pendingCount == _options.CombineLimit || _pendingBytes + last > _session.BufferBytes;
    }

    private bool Extends(in ReadRange range)
    {
        if (_pendingCount == 0 || _pendingCount == _options.CombineLimit || range.Length > _session.BufferBytes - _pendingBytes)
            return false;
        ReadRange last = _units[(_firstUnit + Placed - 1) & _unitMask].Range;
        return range.File == last.File && range.Offset == last.Offset + last.Length;
    }

    private void Append(in ReadRange range)
    {
        long place = _firstUnit + Placed;
        if (range.Address != 0)
        {
            _units[place & _unitMask] = new StreamUnit(range, StreamUnit.None, 0);
            _pinned++;
            _lookAhead.OnHit(_readsAhead > 0);
            return;
        }

        _units[place & _unitMask] = new StreamUnit(range, _nextRead, _pendingBytes);
        _pendingCount++;
        _pendingBytes += range.Length;
    }

    /// <summary>The next range: one that could not be appended before, or the next of the source.</summary>
    private bool TryAsk(out ReadRange range)
    {
        if (_ungot is { } ungot)
        {
            range = ungot;
            _ungot = null;
            return true;
        }

        _isAsking = true;
        try
        {
            ReadStep step = _source.Next(out range);
            _ended = step == ReadStep.End;
            _paused = step == ReadStep.Pause;
            if (step == ReadStep.Read)
                Check(range);
            return step == ReadStep.Read;
        }
        catch (Exception e)
        {
            // The consumer receives the ranges named before, then this.
            _sourceError = e;
            _ended = true;
            range = default;
            return false;
        }
        finally
        {
            _isAsking = false;
        }
    }

    private void Check(in ReadRange range)
    {
        if (range.Length < 1 || (range.Address == 0 && range.Length > _session.BufferBytes))
            throw Require.Violated(nameof(range.Length), range.Length, $"1 to {_session.BufferBytes} bytes, a buffer of the session");
        if (range.Offset < 0)
            throw Require.Violated(nameof(range.Offset), range.Offset, "0 or more");
    }
}
