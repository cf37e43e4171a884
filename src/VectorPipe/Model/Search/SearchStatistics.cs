namespace VectorPipe;

/// <summary>What one query cost. Counts are counted where they happen; times are wall-clock microseconds.</summary>
public readonly record struct SearchStatistics
{
    /// <summary>Results found: as many as were asked for, unless <see cref="EndedBy"/> says why not.</summary>
    public int Hits { get; init; }

    /// <summary>Why the search ended: with fewer results than were asked for, why there are no more.</summary>
    public SearchEnd EndedBy { get; init; }

    /// <summary>What is known about the recall: whether it was calibrated, estimated or exact.</summary>
    public RecallBasis RecallBasis { get; init; }

    /// <summary>
    /// Reads from the device: a page each; of lists, of up to 64 KiB each; for an exact search those of the scan that it shared, of many
    /// pages each.
    /// </summary>
    public int Reads { get; init; }

    /// <summary>Pages that they brought.</summary>
    public int PagesRead { get; init; }

    /// <summary>
    /// Index of lists: pages that were looked at, wherever they came from, which follows from the query alone; what was asked for ahead in
    /// vain does not count.
    /// </summary>
    internal int PagesScanned { get; init; }

    /// <summary>Bytes read from the device.</summary>
    public long BytesRead { get; init; }

    /// <summary>
    /// Times that reads were issued: steps of which each had to wait for the one before. A beam that has to wait for room is one.
    /// </summary>
    public int Rounds { get; init; }

    /// <summary>Nodes expanded: their link lists were followed.</summary>
    public int Hops { get; init; }

    /// <summary>Pages that were wanted and found in the cache.</summary>
    public int CacheHits { get; init; }

    /// <summary>Distances computed on compressed codes.</summary>
    public int CodeDistances { get; init; }

    /// <summary>Distances computed on stored vectors.</summary>
    public int ExactDistances { get; init; }

    /// <summary>From acceptance to answer, µs.</summary>
    public double ElapsedUs { get; init; }

    /// <summary>Of it: waiting for a place in a session, µs.</summary>
    public double QueueUs { get; init; }

    /// <summary>Of it: computing for this query, µs.</summary>
    public double CpuUs { get; init; }

    /// <summary>Of it: everything else, which is waiting for reads and, with many queries in flight, for the thread, µs.</summary>
    public double IoUs => Math.Max(0, ElapsedUs - QueueUs - CpuUs);
}
