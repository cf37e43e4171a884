namespace VectorPipe;

/// <summary>One result of a query.</summary>
/// <param name="Key">The caller's identity of the vector.</param>
/// <param name="Score">Score in the metric's own scale, see <see cref="DistanceMetric"/>: of the query as it was asked and the vector as
/// pages hold it, which float32 vectors may be rounded in, see <see cref="BuildOptions.PageElementType"/>.</param>
public readonly record struct SearchHit(ulong Key, float Score);
