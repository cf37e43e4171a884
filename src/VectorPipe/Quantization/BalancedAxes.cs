namespace VectorPipe.Quantization;

/// <summary>Deals principal axes to chunks of equal variance: parametric OPQ (Ge et al. 2013, section 3.2). No state.</summary>
internal static class BalancedAxes
{
    /// <summary>Computes the rotation onto the axes.</summary>
    /// <param name="axes">n x n numbers: an axis a row, of length 1.</param>
    /// <param name="variances">The variance along each; above 0.</param>
    /// <param name="chunkOffsets">The first component of each chunk, and at the end n.</param>
    /// <returns>n x n numbers, row by row: an axis a column.</returns>
    public static double[] Deal(double[] axes, double[] variances, int[] chunkOffsets)
    {
        int n = variances.Length, chunks = chunkOffsets.Length - 1;
        int[] order = [.. Enumerable.Range(0, n).OrderByDescending(i => variances[i]).ThenBy(i => i)];
        double least = variances[order[^1]];
        var rotation = new double[axes.Length];
        var products = new double[chunks];
        var taken = new int[chunks];
        foreach (int axis in order)
        {
            // Choose the chunk with room that has the smallest product of variances. Logarithms are relative to the least variance, so
            // that every axis counts.
            int best = -1;
            for (int chunk = 0; chunk < chunks; chunk++)
            {
                if (taken[chunk] < chunkOffsets[chunk + 1] - chunkOffsets[chunk] && (best < 0 || products[chunk] < products[best]))
                    best = chunk;
            }

            products[best] += Math.Log(variances[axis] / least);
            int column = chunkOffsets[best] + taken[best]++;
            for (int i = 0; i < n; i++)
                rotation[(i * n) + column] = axes[(axis * n) + i];
        }

        return rotation;
    }
}
