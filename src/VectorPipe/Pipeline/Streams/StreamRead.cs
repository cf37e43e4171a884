namespace VectorPipe.Pipeline.Streams;

/// <summary>A read of a stream: one range, or adjacent ones together.</summary>
internal struct StreamRead
{
    /// <summary>Ranges that were read.</summary>
    public int Count;

    /// <summary>Ranges that the consumer has not done with.</summary>
    public int Left;

    /// <summary>The call of the consumer within which it was issued.</summary>
    public long Call;

    /// <summary>Whether the consumer has come to it before it landed.</summary>
    public bool WasAwaited;

    /// <summary>Whether the consumer has come to it.</summary>
    public bool IsReached;

    /// <summary>The bytes, once they have landed.</summary>
    public PendingIoContext? Op;

    /// <summary>Why there are none.</summary>
    public Exception? Error;

    /// <summary>Whether it has ended, well or not.</summary>
    public readonly bool HasLanded => Op is not null || Error is not null;
}
