namespace VectorPipe.Tool.Hits;

/// <summary>How many hits there may be, and what they bring along.</summary>
/// <param name="K">Most hits of a query.</param>
internal readonly record struct HitShape(int Queries, int K, Include Include, VectorElementType ElementType);
