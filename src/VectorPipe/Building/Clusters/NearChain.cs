using VectorPipe.Numerics.Panels;

namespace VectorPipe.Building.Clusters;

/// <summary>Puts vectors into an order in which each is followed by the nearest that is left.</summary>
internal static class NearChain
{
    /// <summary>Orders some rows.</summary>
    /// <param name="table">The vectors.</param>
    /// <param name="rows">Which rows; reordered in place.</param>
    /// <param name="start">The row that the first of the order is nearest to.</param>
    /// <param name="cancellationToken">Observed at every step.</param>
    public static void Order(VectorTable table, Span<int> rows, int start, CancellationToken cancellationToken)
    {
        float[] distances = new float[rows.Length];
        int last = start;
        for (int placed = 0; placed < rows.Length; placed++)
        {
            cancellationToken.ThrowIfCancellationRequested();
            Span<int> left = rows[placed..];
            GatherKernels.Distances(table.Rows, last, left, distances);
            int nearest = 0;
            for (int i = 1; i < left.Length; i++)
            {
                if (distances[i] < distances[nearest])
                    nearest = i;
            }

            (left[0], left[nearest]) = (left[nearest], left[0]);
            last = left[0];
        }
    }
}
