namespace VectorPipe;

/// <summary>How a query's reads overlap its computation.</summary>
public enum SearchMode
{
    /// <summary>
    /// A node is expanded the moment its own read lands, and the next read is issued at once: up to the beam width are always in flight.
    /// </summary>
    Pipelined = 0,

    /// <summary>Beam search: up to the beam width reads are issued together, and all of them are awaited before any is expanded.</summary>
    Beam = 1,

    /// <summary>
    /// The true nearest: every vector is compared, in the form in which it was given if the index has it, else as its pages hold it. All
    /// vectors are read once for the queries that a thread has in
    /// flight at the time; list size, beam width and all that steers a walk mean nothing.
    /// </summary>
    Exact = 2,
}
