namespace VectorPipe.Searching;

/// <summary>One result of a query.</summary>
/// <param name="Key">The caller's identity of the vector.</param>
/// <param name="Score">Exact score in the metric's own scale, see <see cref="Numerics.DistanceMetric"/>.</param>
public readonly record struct SearchHit(ulong Key, float Score);
