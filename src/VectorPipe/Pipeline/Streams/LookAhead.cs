using System.Diagnostics;

namespace VectorPipe.Pipeline.Streams;

/// <summary>
/// How far a stream looks ahead, and how much it puts into one read: grows while the consumer has to wait, decays while nothing needs to be
/// read.
/// </summary>
/// <remarks>
/// Two distances, as in PostgreSQL 19's read stream. The first doubles when the consumer reached a read that had not landed; one that
/// landed in time says that it is long
/// enough. The second doubles with every read. Both shrink by one for a range that needed no read, but only while no read is on its way and
/// none was needed
/// for as many ranges as may be ahead: a few hits between misses are no reason to begin anew.
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

    /// <summary>Ranges that are worth waiting for before a read is issued: 1 or more.</summary>
    public int CombineDistance { get; private set; }

    /// <summary>Ranges without a read before the distances decay.</summary>
    public int HoldOff { get; private set; }

    /// <summary>As at the beginning.</summary>
    public void Reset()
    {
        Distance = _startsFull ? Math.Min(_maxAhead, _combineLimit) : 1;
        CombineDistance = _startsFull ? _combineLimit : 1;
        HoldOff = 0;
    }

    /// <summary>A read was issued.</summary>
    public void OnIssued() => HoldOff = _maxAhead;

    /// <summary>A range needs no read.</summary>
    /// <param name="isReading">Whether reads are on their way.</param>
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

    /// <summary>The consumer has come to a read.</summary>
    /// <param name="hadToWait">Whether it had not landed when the consumer first asked for it.</param>
    public void OnReached(bool hadToWait)
    {
        if (hadToWait)
            Distance = Math.Min(2 * Distance, _maxAhead);
        CombineDistance = Math.Min(2 * CombineDistance, _combineLimit);
        AssertInvariants();
    }

    /// <summary>There was no op for a read: what is ahead is as far as it goes for now.</summary>
    public void Limit(int ahead) => Distance = Math.Clamp(ahead, 1, Distance);

    [Conditional("DEBUG")]
    private readonly void AssertInvariants()
    {
        Debug.Assert(Distance >= 1 && Distance <= _maxAhead, "progress is always possible, and bounded");
        Debug.Assert(CombineDistance >= 1 && CombineDistance <= _combineLimit, "a read holds between one range and the limit");
    }
}
