namespace VectorPipe;

/// <summary>How a query's reads overlap its computation.</summary>
public enum SearchMode
{
    /// <summary>A page is used when its own read completes, and the next read is issued at once.</summary>
    Pipelined = 0,

    /// <summary>Beam search: reads are issued in groups, and a group is used when all of it has completed.</summary>
    Beam = 1,

    /// <summary>Every vector is compared with the query: the true answer.</summary>
    /// <remarks>
    /// It compares original vectors if the index has them, else those of its pages. One scan serves all queries that a thread has in
    /// flight. Options of a walk are refused.
    /// </remarks>
    Exact = 2,
}
