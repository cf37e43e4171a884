namespace VectorPipe.Searching.Requests;

/// <summary>How one query scans lists.</summary>
/// <param name="Asked">Results asked for.</param>
/// <param name="K">Results to find.</param>
/// <param name="Basis">What is known about the recall.</param>
/// <param name="Probes">Lists that are scanned at most.</param>
/// <param name="Rerank">Coded lists: vectors that are ranked exactly.</param>
/// <param name="BoundFactor">A list is passed over if the least distance of its vectors, times this, lies beyond the end of the
/// answer.</param>
internal sealed record IvfPlan(
    int Asked, int K, RecallBasis Basis, int Probes, int Rerank, float BoundFactor) : SearchPlan(Asked, K, Basis);
