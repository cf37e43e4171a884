using System.Diagnostics;

namespace VectorPipe.Pipeline.Streams;

/// <summary>How far a stream looks ahead, and how many ranges it combines into one read.</summary>
/// <remarks>
/// Two distances, as in PostgreSQL 19's read stream. The first doubles when the consumer reaches a read that has not landed; a read that
/// landed in time shows that the distance suffices. The second doubles with every read. Both shrink by one for a range that needs no read,
/// but only while no read is in flight and none was needed for as many ranges as may be ahead: a few hits between misses are no reason to
/// start over.
/// </remarks>
internal struct LookAhead
{
    private readonly int _maxAhead;
    private readonly int _combineLimit;
    private readonly bool _startsFull;

    public LookAhead(ReadStreamOptions options)
    {
        _maxAhead = options.MaxAhead;
        _combineLimit = options.CombineLimit;
        _startsFull = options.StartsFull;
        Reset();
    }

    /// <summary>Ranges that may be ahead of the consumer: 1 or more.</summary>
    public int Distance { get; private set; }

    /// <summary>Ranges to collect before a read is issued: 1 or more.</summary>
    public int CombineDistance { get; private set; }

    /// <summary>Ranges without a read before the distances decay.</summary>
    public int HoldOff { get; private set; }

    /// <summary>Returns to the distances of a new stream.</summary>
    public void Reset()
    {
        Distance = _startsFull ? Math.Min(_maxAhead, _combineLimit) : 1;
        CombineDistance = _startsFull ? _combineLimit : 1;
        HoldOff = 0;
    }

    /// <summary>A read was issued.</summary>
    public void OnIssued() => HoldOff = _maxAhead;

    /// <summary>A range needs no read.</summary>
    /// <param name="isReading">Whether reads are in flight.</param>
    public void OnHit(bool isReading)
    {
        if (isReading)
            return;
        if (HoldOff > 0)
        {
            HoldOff--;
            return;
        }

        Distance = Math.Max(1, Distance - 1);
        CombineDistance = Math.Max(1, CombineDistance - 1);
    }

    /// <summary>The consumer has reached a read.</summary>
    /// <param name="hadToWait">Whether the read had not landed when the consumer first asked for it.</param>
    public void OnReached(bool hadToWait)
    {
        if (hadToWait)
            Distance = Math.Min(2 * Distance, _maxAhead);
        CombineDistance = Math.Min(2 * CombineDistance, _combineLimit);
        Debug.Assert(Distance >= 1 && Distance <= _maxAhead, "progress is always possible, and bounded");
        Debug.Assert(CombineDistance >= 1 && CombineDistance <= _combineLimit, "a read holds between one range and the limit");
    }

    /// <summary>No op was free for a read: the distance shrinks to what is ahead.</summary>
    public void Limit(int ahead) => Distance = Math.Clamp(ahead, 1, Distance);
}
