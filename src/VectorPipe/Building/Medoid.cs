using VectorPipe.Numerics;

namespace VectorPipe.Building;

/// <summary>Finds the point nearest to the mean of all.</summary>
internal static unsafe class Medoid
{
    private const int MinBlockRows = 1 << 12;
    private const int MaxBlocks = 256;

    /// <summary>The point nearest to the mean of the build space; of equally near ones the lowest.</summary>
    /// <remarks>Rows are summed in blocks that do not depend on the number of threads, nor does the result.</remarks>
    public static int Find(PointSet points, int threads, CancellationToken cancellationToken)
    {
        int blockRows = Math.Max(MinBlockRows, (points.Count - 1) / MaxBlocks + 1);
        int blocks = (points.Count - 1) / blockRows + 1;
        var sums = new double[blocks][];
        ForEachBlock(points, blockRows, threads, (block, from, to, vector) => sums[block] = Sum(points, from, to, vector), cancellationToken);

        float[] mean = new float[points.BuildDimension];
        for (int i = 0; i < mean.Length; i++)
        {
            double sum = 0;
            foreach (double[] block in sums)
                sum += block[i];
            mean[i] = (float)(sum / points.Count);
        }

        var nearest = new (float Distance, int Point)[blocks];
        ForEachBlock(points, blockRows, threads, (block, from, to, vector) => nearest[block] = Nearest(points, from, to, vector, mean), cancellationToken);
        return nearest.Min().Point;
    }

    private static void ForEachBlock(PointSet points, int blockRows, int threads, Action<int, int, int, float[]> body, CancellationToken cancellationToken)
    {
        int next = -1;
        int blocks = (points.Count - 1) / blockRows + 1;
        Workers.Run(
            threads,
            _ =>
            {
                float[] vector = new float[points.BuildDimension];
                for (int block = Interlocked.Increment(ref next); block < blocks; block = Interlocked.Increment(ref next))
                {
                    cancellationToken.ThrowIfCancellationRequested();
                    int from = block * blockRows;
                    body(block, from, Math.Min(points.Count - from, blockRows) + from, vector);
                }
            },
            cancellationToken);
    }

    private static double[] Sum(PointSet points, int from, int to, float[] vector)
    {
        double[] sum = new double[vector.Length];
        for (int point = from; point < to; point++)
        {
            points.CopyBuildVector(point, vector);
            for (int i = 0; i < sum.Length; i++)
                sum[i] += vector[i];
        }

        return sum;
    }

    private static (float Distance, int Point) Nearest(PointSet points, int from, int to, float[] vector, float[] mean)
    {
        (float Distance, int Point) nearest = (float.PositiveInfinity, from);
        fixed (float* a = mean, b = vector)
        {
            for (int point = from; point < to; point++)
            {
                points.CopyBuildVector(point, vector);
                float distance = DistanceKernels.SquaredL2(a, b, vector.Length);
                if (distance < nearest.Distance)
                    nearest = (distance, point);
            }
        }

        return nearest;
    }
}
