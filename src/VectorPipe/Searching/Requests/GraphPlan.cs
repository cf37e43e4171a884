namespace VectorPipe.Searching.Requests;

/// <summary>How a query walks a graph.</summary>
/// <param name="Asked">Results asked for.</param>
/// <param name="K">Results to find.</param>
/// <param name="Basis">What is known about the recall.</param>
/// <param name="PoolSize">Length of the candidate pool at the beginning.</param>
/// <param name="Threshold">Results that a page must promise to be read; null if all candidates are visited, or if the tuning chooses the
/// pages.</param>
/// <param name="BeamWidth">Most reads in flight.</param>
/// <param name="IsWidthFixed">Whether all of them may be in flight from the beginning, unless the tuning sets the width.</param>
/// <param name="IsBeam">Whether the query waits for all reads of a round before it takes a page in.</param>
/// <param name="FollowFactor">The follow factor of the merged layout.</param>
internal sealed record GraphPlan(
    int Asked, int K, RecallBasis Basis, int PoolSize, float? Threshold, int BeamWidth, bool IsWidthFixed, bool IsBeam, float FollowFactor)
    : SearchPlan(Asked, K, Basis)
{
    /// <summary>Under a filter: cells are left out whose centres are farther than this factor of the k-th nearest match by code.</summary>
    public float CellFactor { get; init; } = 1;

    /// <summary>Whether the pool grows while its last candidate promises far more than a page must.</summary>
    public bool GrowsPool { get; init; }

    /// <summary>Settings beyond those of the options; null for none.</summary>
    public WalkTuning? Tuning { get; init; }
}
