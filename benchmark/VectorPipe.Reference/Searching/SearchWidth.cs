namespace VectorPipe.Reference.Searching;

/// <summary>Policies for the number of reads in flight of a query: two of the library, and two to compare them with.</summary>
public enum SearchWidth
{
    /// <summary>Always the beam width.</summary>
    Fixed,

    /// <summary>Four until the walk has converged, then one more with every page while few pages are wasted.</summary>
    Adaptive,

    /// <summary>4, 8, 16, 24, 32: a step for every ten nearest candidates that were all requested.</summary>
    Position,

    /// <summary>All pages worth a read, but three at first and twice as many each time.</summary>
    Remaining,
}
