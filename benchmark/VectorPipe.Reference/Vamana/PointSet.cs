using VectorPipe.Building.Graphs;

namespace VectorPipe.Reference.Vamana;

/// <summary>The points of a build in memory, and the distance that the graph is built with.</summary>
/// <remarks>
/// <para>The build distance is symmetric and non-negative, so that pruning by alpha has the same meaning for every metric: |a-b|² for L2;
/// |a/|a| - b/|b||² for cosine; for the inner product |a-b|² with one more component sqrt(M² - |x|²), M the largest norm (Bachrach et al.
/// 2014). The nearest neighbours of a query, whose extra component is 0, then have the largest inner products. Equal vectors have the
/// distance 0 exactly. The vectors with the plain squared L2 distance are the <em>build space</em>.</para>
/// <para>Thread-safe until <see cref="Dispose"/>.</para>
/// </remarks>
internal abstract class PointSet : IRowDistances, IDisposable
{
    public int Count => Rows.Count;

    /// <summary>The rows that the distance is computed from.</summary>
    public abstract PointRows Rows { get; }

    /// <summary>For byte rows, a number per point: |x|² (cosine), the extra component (inner product), or none (L2).</summary>
    public abstract ReadOnlySpan<float> Auxiliary { get; }

    /// <summary>Distances from one point to others. <paramref name="distances"/> has the length of <paramref name="others"/>.</summary>
    /// <remarks>Efficient for batches: the rows of all <paramref name="others"/> are prefetched.</remarks>
    public abstract void Distances(int point, ReadOnlySpan<int> others, Span<float> distances);

    /// <summary>Frees the rows. No other member may be running.</summary>
    public abstract void Dispose();
}
