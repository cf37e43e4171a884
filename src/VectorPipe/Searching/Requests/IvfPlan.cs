namespace VectorPipe.Searching.Requests;

/// <summary>How a query scans lists.</summary>
/// <param name="Asked">Results asked for.</param>
/// <param name="K">Results to find.</param>
/// <param name="Basis">What is known about the recall.</param>
/// <param name="Probes">Most lists that the query scans.</param>
/// <param name="Rerank">Coded lists: vectors that are ranked exactly.</param>
/// <param name="BoundFactor">See <see cref="WalkTuning.BoundFactor"/>.</param>
internal sealed record IvfPlan(int Asked, int K, RecallBasis Basis, int Probes, int Rerank, float BoundFactor)
    : SearchPlan(Asked, K, Basis);
