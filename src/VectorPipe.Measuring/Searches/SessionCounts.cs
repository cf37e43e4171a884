namespace VectorPipe.Measuring.Searches;

/// <summary>Reads and system calls of a session's device queue.</summary>
internal readonly record struct SessionCounts(long Reads, long SystemCalls)
{
    public static SessionCounts operator +(SessionCounts one, SessionCounts other) =>
        new(one.Reads + other.Reads, one.SystemCalls + other.SystemCalls);

    public static SessionCounts operator -(SessionCounts after, SessionCounts before) =>
        new(after.Reads - before.Reads, after.SystemCalls - before.SystemCalls);
}
