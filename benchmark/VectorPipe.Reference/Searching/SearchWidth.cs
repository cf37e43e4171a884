namespace VectorPipe.Reference.Searching;

/// <summary>How many reads of one query may be in flight at once: the two ways of the library and two that they are compared
/// with.</summary>
public enum SearchWidth
{
    /// <summary>Always as many as the beam width.</summary>
    Fixed,

    /// <summary>Four until the walk has converged; then one more with every arrival, as long as few pages come too late for their
    /// candidates.</summary>
    Adaptive,

    /// <summary>4, 8, 16, 24 and 32, a step for every ten candidates that have all been asked for.</summary>
    Position,

    /// <summary>As many as there are pages worth a read, but three at first and twice as many each time.</summary>
    Remaining,
}
