namespace VectorPipe.Pipeline.Streams;

/// <summary>One read of a stream: a range, or several adjacent ones.</summary>
internal struct StreamRead
{
    public int Count;

    /// <summary>Ranges that the consumer is not done with.</summary>
    public int Left;

    /// <summary>The call of the consumer within which the read was issued.</summary>
    public long Call;

    /// <summary>The source's number for the first range.</summary>
    public long State;

    /// <summary>Whether the consumer has reached the read before it landed.</summary>
    public bool WasAwaited;

    /// <summary>Whether the consumer has reached the read.</summary>
    public bool IsReached;

    /// <summary>The bytes, once they have landed.</summary>
    public PendingIoContext? Op;

    /// <summary>The failure, if there was one.</summary>
    public Exception? Error;

    /// <summary>Whether the read has ended, with bytes or a failure.</summary>
    public readonly bool HasLanded => Op is not null || Error is not null;
}
