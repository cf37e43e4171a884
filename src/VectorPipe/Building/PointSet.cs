namespace VectorPipe.Building;

/// <summary>The points of a build, held in memory in the form its kernels want, and the distance that the graph is built on.</summary>
/// <remarks>
/// <para>The build distance is symmetric and non-negative for every metric, so that pruning by alpha means the same for all: |a-b|² for L2;
/// |a/|a| - b/|b||² for cosine; for the inner product the squared L2 distance after each vector is given one more
/// component sqrt(M² - |x|²), M the largest norm (Bachrach et al. 2014): nearest neighbours of a query, whose extra component is
/// 0, are then exactly the largest inner products.</para>
/// <para>Thread-safe: reading only.</para>
/// </remarks>
internal abstract class PointSet
{
    /// <summary>How many points.</summary>
    public abstract int Count { get; }

    /// <summary>Distances from one point to others. <paramref name="distances"/> has the length of <paramref name="others"/>.</summary>
    public abstract void Distances(int point, ReadOnlySpan<int> others, Span<float> distances);

    /// <summary>The point nearest to the mean of all points (of the normalised points for cosine).</summary>
    public abstract int FindMedoid(int threads, CancellationToken cancellationToken);
}
