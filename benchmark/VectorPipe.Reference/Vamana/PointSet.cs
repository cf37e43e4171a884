using VectorPipe.Building.Graphs;

namespace VectorPipe.Reference.Vamana;

/// <summary>The points of a build, held in memory in the form its kernels want, and the distance that the graph is built on.</summary>
/// <remarks>
/// <para>The build distance is symmetric and non-negative for every metric, so that pruning by alpha means the same for all: |a-b|² for L2;
/// |a/|a| - b/|b||² for cosine; for the inner product the squared L2 distance after each vector is given one more
/// component sqrt(M² - |x|²), M the largest norm (Bachrach et al. 2014): nearest neighbours of a query, whose extra component is
/// 0, are then exactly the largest inner products. Equal vectors are at distance 0 exactly.</para>
/// <para>The vectors in which this distance is a plain squared L2 (normalised, or with the extra component) are the points' <em>build
/// space</em>.</para>
/// <para>Thread-safe: reading only, until <see cref="Dispose"/>.</para>
/// </remarks>
internal abstract class PointSet : IRowDistances, IDisposable
{
    /// <summary>How many points.</summary>
    public abstract int Count { get; }

    /// <summary>The rows that the distance is computed from.</summary>
    public abstract PointRows Rows { get; }

    /// <summary>
    /// Of byte rows, one number a point: nothing (L2), |x|² (cosine), or the extra component (inner product). Float rows have none.
    /// </summary>
    public abstract ReadOnlySpan<float> Auxiliary { get; }

    /// <summary>Distances from one point to others. <paramref name="distances"/> has the length of <paramref name="others"/>.</summary>
    /// <remarks>Meant for batches: the rows of all <paramref name="others"/> are requested from memory before the first is used.</remarks>
    public abstract void Distances(int point, ReadOnlySpan<int> others, Span<float> distances);

    /// <summary>Frees the rows. No other member may be running.</summary>
    public abstract void Dispose();
}
