namespace VectorPipe.Searching.Requests;

/// <summary>How one query walks a graph.</summary>
/// <param name="Asked">Results asked for.</param>
/// <param name="K">Results to find.</param>
/// <param name="Basis">What is known about the recall.</param>
/// <param name="PoolSize">Candidates kept.</param>
/// <param name="Threshold">Results that a page must promise to be read; null if all candidates are visited, or if the tuning names
/// another choice of pages.</param>
/// <param name="BeamWidth">Most reads in flight.</param>
/// <param name="IsWidthFixed">Whether they may all be in flight from the beginning, unless the tuning names another width.</param>
/// <param name="IsBeam">Whether all reads of a round are awaited before any page is taken in.</param>
/// <param name="FollowFactor">Merged layout: links of nodes are followed up to so many times the distance at which the answer will
/// end.</param>
internal sealed record GraphPlan(
    int Asked, int K, RecallBasis Basis, int PoolSize, float? Threshold, int BeamWidth, bool IsWidthFixed, bool IsBeam, float FollowFactor)
    : SearchPlan(Asked, K, Basis)
{
    /// <summary>The seams that it goes through; null for none.</summary>
    public WalkTuning? Tuning { get; init; }
}
