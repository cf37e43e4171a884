using System.Numerics;
using VectorPipe;

namespace QuickStart;

/// <summary>Finds the true nearest neighbours by comparing every query with every vector.</summary>
internal static class ExactSearch
{
    private const int QueriesPerTask = 25;
    private const int RowsPerBlock = 128;

    /// <summary>Row numbers of the k nearest vectors of each query, nearest first.</summary>
    public static uint[][] Run<T>(DataSet<T> data, DistanceMetric metric, int k, CancellationToken stop)
        where T : unmanaged, INumberBase<T>
    {
        var nearest = new uint[data.QueryCount][];
        int tasks = (data.QueryCount + QueriesPerTask - 1) / QueriesPerTask;
        Parallel.For(0, tasks, new ParallelOptions { CancellationToken = stop }, task =>
        {
            int first = task * QueriesPerTask;
            RunSome(data, metric, k, first, Math.Min(QueriesPerTask, data.QueryCount - first), nearest);
        });
        return nearest;
    }

    /// <summary>Compares a few queries with all rows, block by block, so that a block stays in the processor's cache.</summary>
    private static void RunSome<T>(DataSet<T> data, DistanceMetric metric, int k, int first, int count, uint[][] nearest)
        where T : unmanaged, INumberBase<T>
    {
        int dimension = data.Dimension;
        float[] queries = ToFloats<T>(data.Queries.AsSpan(first * dimension, count * dimension));
        float[] block = new float[RowsPerBlock * dimension];
        var best = new (float Distance, uint Row)[count * k];
        Array.Fill(best, (float.PositiveInfinity, 0u));
        for (int row = 0; row < data.Count; row += RowsPerBlock)
        {
            int rows = Math.Min(RowsPerBlock, data.Count - row);
            ToFloats<T>(data.Rows.AsSpan(row * dimension, rows * dimension), block);
            for (int query = 0; query < count; query++)
            {
                ReadOnlySpan<float> values = queries.AsSpan(query * dimension, dimension);
                Span<(float Distance, uint Row)> top = best.AsSpan(query * k, k);
                for (int i = 0; i < rows; i++)
                {
                    float distance = Distance(metric, values, block.AsSpan(i * dimension, dimension));
                    if (distance < top[^1].Distance)
                        Insert(top, distance, (uint)(row + i));
                }
            }
        }

        for (int query = 0; query < count; query++)
            nearest[first + query] = [.. best.Skip(query * k).Take(Math.Min(k, data.Count)).Select(entry => entry.Row)];
    }

    private static void Insert(Span<(float Distance, uint Row)> top, float distance, uint row)
    {
        int at = top.Length - 1;
        for (; at > 0 && top[at - 1].Distance > distance; at--)
            top[at] = top[at - 1];
        top[at] = (distance, row);
    }

    /// <summary>Smaller is nearer. The query's own length changes no order, so cosine leaves it out.</summary>
    private static float Distance(DistanceMetric metric, ReadOnlySpan<float> query, ReadOnlySpan<float> row) => metric switch
    {
        DistanceMetric.L2 => SquaredDistance(query, row),
        DistanceMetric.InnerProduct => -Product(query, row),
        _ => -Product(query, row) / MathF.Sqrt(Product(row, row)),
    };

    private static float SquaredDistance(ReadOnlySpan<float> a, ReadOnlySpan<float> b)
    {
        var sum = Vector<float>.Zero;
        int i = 0;
        for (; i <= a.Length - Vector<float>.Count; i += Vector<float>.Count)
        {
            Vector<float> difference = new Vector<float>(a[i..]) - new Vector<float>(b[i..]);
            sum += difference * difference;
        }

        float total = Vector.Sum(sum);
        for (; i < a.Length; i++)
            total += (a[i] - b[i]) * (a[i] - b[i]);
        return total;
    }

    private static float Product(ReadOnlySpan<float> a, ReadOnlySpan<float> b)
    {
        var sum = Vector<float>.Zero;
        int i = 0;
        for (; i <= a.Length - Vector<float>.Count; i += Vector<float>.Count)
            sum += new Vector<float>(a[i..]) * new Vector<float>(b[i..]);
        float total = Vector.Sum(sum);
        for (; i < a.Length; i++)
            total += a[i] * b[i];
        return total;
    }

    private static float[] ToFloats<T>(ReadOnlySpan<T> values)
        where T : unmanaged, INumberBase<T>
    {
        var floats = new float[values.Length];
        ToFloats(values, floats);
        return floats;
    }

    private static void ToFloats<T>(ReadOnlySpan<T> values, Span<float> floats)
        where T : unmanaged, INumberBase<T>
    {
        for (int i = 0; i < values.Length; i++)
            floats[i] = float.CreateTruncating(values[i]);
    }
}
