using VectorPipe.Building.Paging;
using VectorPipe.Building.Work;
using VectorPipe.Numerics.Distances;

namespace VectorPipe.Building.Graphs;

internal static unsafe class Medoid
{
    private const int MinBlockRows = 1 << 12;
    private const int MaxBlocks = 256;

    /// <summary>The point nearest to the mean of the build space; of equally near ones the lowest.</summary>
    /// <remarks>Blocks of rows, and so the result, do not depend on the number of threads.</remarks>
    public static int Find(PointTable points, PagedMemory? paging, int threads, CancellationToken cancellationToken)
    {
        int blockRows = Math.Max(MinBlockRows, (points.Count - 1) / MaxBlocks + 1);
        int blocks = (points.Count - 1) / blockRows + 1;
        var sums = new double[blocks][];
        ForEachBlock(
            points, paging, blockRows, threads, (block, from, to, vector, lease) => sums[block] = Sum(points, from, to, vector, lease),
            cancellationToken);

        float[] mean = new float[points.BuildDimension];
        for (int i = 0; i < mean.Length; i++)
        {
            double sum = 0;
            foreach (double[] block in sums)
                sum += block[i];
            mean[i] = (float)(sum / points.Count);
        }

        var nearest = new (float Distance, int Point)[blocks];
        ForEachBlock(
            points, paging, blockRows, threads,
            (block, from, to, vector, lease) => nearest[block] = Nearest(points, from, to, vector, mean, lease), cancellationToken);
        return nearest.Min().Point;
    }

    private static void ForEachBlock(
        PointTable points, PagedMemory? paging, int blockRows, int threads, Action<int, int, int, float[], PageLease> body,
        CancellationToken cancellationToken)
    {
        int blocks = (points.Count - 1) / blockRows + 1;
        Workers.Run(
            threads,
            blocks,
            (_, shared) =>
            {
                float[] vector = new float[points.BuildDimension];
                using PageLease lease = PageLease.Rent(paging);
                while (shared.TryTake(out int block))
                {
                    int from = block * blockRows;
                    body(block, from, Math.Min(points.Count - from, blockRows) + from, vector, lease);
                }
            },
            cancellationToken);
    }

    private static double[] Sum(PointTable points, int from, int to, float[] vector, PageLease lease)
    {
        double[] sum = new double[vector.Length];
        foreach ((int first, int count) in points.Batches(lease, from, to - from, CancellationToken.None))
        {
            for (int point = first; point < first + count; point++)
            {
                points.CopyBuildVector(point, vector);
                for (int i = 0; i < sum.Length; i++)
                    sum[i] += vector[i];
            }
        }

        return sum;
    }

    private static (float Distance, int Point) Nearest(PointTable points, int from, int to, float[] vector, float[] mean, PageLease lease)
    {
        (float Distance, int Point) nearest = (float.PositiveInfinity, from);
        fixed (float* a = mean, b = vector)
        {
            foreach ((int first, int count) in points.Batches(lease, from, to - from, CancellationToken.None))
            {
                for (int point = first; point < first + count; point++)
                {
                    points.CopyBuildVector(point, vector);
                    float distance = DistanceKernels.SquaredL2(a, b, vector.Length);
                    if (distance < nearest.Distance)
                        nearest = (distance, point);
                }
            }
        }

        return nearest;
    }
}
