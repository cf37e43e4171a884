namespace VectorPipe;

/// <summary>One result of a query.</summary>
/// <param name="Key">The caller's identity of the vector.</param>
/// <param name="Score">
/// Score of query and vector in the metric's own scale, see <see cref="DistanceMetric"/>. Pages may hold the vector rounded, see
/// <see cref="BuildOptions.PageElementType"/>.
/// </param>
public readonly record struct SearchHit(ulong Key, float Score);
