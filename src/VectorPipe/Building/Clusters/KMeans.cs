using VectorPipe.Numerics.Panels;
using VectorPipe.Numerics.Sorting;

namespace VectorPipe.Building.Clusters;

/// <summary>K-means by Lloyd over a few rows, on one thread.</summary>
/// <remarks>
/// Starts from evenly spaced members and adds members in their order: the result depends on nothing else. Not thread-safe.
/// </remarks>
internal sealed unsafe class KMeans(KernelRowFormat form) : IDisposable
{
    private const int ChunkRows = 48;

    private readonly DistanceBlock _block = new();
    private readonly VectorPanel _panel = new();
    private readonly double[] _sums = new double[form.Components];

    /// <summary>Finds centroids of rows of <paramref name="source"/>; a cluster that loses all members stays where it was.</summary>
    /// <returns>The centroids; owned by the caller.</returns>
    public VectorTable Train(
        VectorTable source, ReadOnlySpan<int> members, int clusters, int iterations, CancellationToken cancellationToken)
    {
        var centroids = new VectorTable(form, clusters);
        for (int i = 0; i < clusters; i++)
            centroids.Copy(i, source, members[(int)((2L * i + 1) * members.Length / (2L * clusters))]);

        int[] nearest = new int[members.Length];
        for (int iteration = 0; iteration < iterations; iteration++)
        {
            Assign(source, members, centroids, nearest, cancellationToken);
            int[] grouped = CountingSort.Group(nearest, clusters, out int[] offsets);
            for (int i = 0; i < grouped.Length; i++)
                grouped[i] = members[grouped[i]];
            for (int i = 0; i < clusters; i++)
            {
                if (offsets[i] < offsets[i + 1])
                    centroids.SetMean(i, source, grouped.AsSpan(offsets[i]..offsets[i + 1]), _sums);
            }
        }

        return centroids;
    }

    /// <summary>Finds the nearest centroid of each member; of equally near ones the first.</summary>
    public void Assign(
        VectorTable source, ReadOnlySpan<int> members, VectorTable centroids, Span<int> nearest, CancellationToken cancellationToken)
    {
        _panel.Pack(centroids.Rows, Sequence.Of(centroids.Count));
        for (int from = 0; from < members.Length; from += ChunkRows)
        {
            cancellationToken.ThrowIfCancellationRequested();
            int count = Math.Min(ChunkRows, members.Length - from);
            _block.Compute(source.Rows, members.Slice(from, count), _panel);
            for (int i = 0; i < count; i++)
                nearest[from + i] = Minimum.IndexOf(_block.Row(i), centroids.Count);
        }
    }

    public void Dispose()
    {
        _block.Dispose();
        _panel.Dispose();
    }
}
