namespace VectorPipe.Measuring.Searches;

/// <summary>Counts of the device queue of a session.</summary>
/// <param name="Reads">Reads at the device.</param>
/// <param name="SystemCalls">System calls.</param>
internal readonly record struct SessionCounts(long Reads, long SystemCalls)
{
    /// <summary>Counts of two sessions.</summary>
    public static SessionCounts operator +(SessionCounts one, SessionCounts other) =>
        new(one.Reads + other.Reads, one.SystemCalls + other.SystemCalls);

    /// <summary>Counts between two points in time.</summary>
    public static SessionCounts operator -(SessionCounts after, SessionCounts before) =>
        new(after.Reads - before.Reads, after.SystemCalls - before.SystemCalls);
}
