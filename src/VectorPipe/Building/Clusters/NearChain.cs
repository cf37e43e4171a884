using VectorPipe.Numerics.Panels;

namespace VectorPipe.Building.Clusters;

/// <summary>Orders vectors so that each is followed by the nearest of the rest.</summary>
internal static class NearChain
{
    /// <summary>Reorders <paramref name="rows"/> in place; the first is the nearest to <paramref name="start"/>.</summary>
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
