namespace VectorPipe.Searching;

/// <summary>How a query's reads overlap its computation.</summary>
public enum SearchMode
{
    /// <summary>A node is expanded the moment its own read lands, and the next read is issued at once: up to the beam width are always in flight.</summary>
    Pipelined = 0,

    /// <summary>Beam search: up to the beam width reads are issued together, and all of them are awaited before any is expanded.</summary>
    Beam = 1,
}
