using System.Buffers;

namespace VectorPipe.Numerics.LinearAlgebra;

/// <summary>XᵀY of two tall matrices of floats. No state.</summary>
internal static unsafe class CrossProduct
{
    // Rows whose products are summed as floats before a double takes the sum: few enough to keep precision and to stay in the cache.
    private const int BatchRows = 256;
    private const int TileColumns = 48;

    /// <summary>Bytes that a thread needs.</summary>
    public static long ScratchBytes(int columns) =>
        PackedMatrix.ByteLength(BatchRows, columns)
        + ((long)TileColumns * (BatchRows + columns) + (long)BatchRows * columns) * sizeof(float);

    /// <summary>Computes the product; the same on any number of threads.</summary>
    /// <param name="x">X.</param>
    /// <param name="y">Y, of as many rows and columns.</param>
    /// <param name="options">Threads and cancellation.</param>
    /// <returns>columns x columns numbers, row by row.</returns>
    public static double[] Compute(SpreadRows x, SpreadRows y, ParallelOptions options)
    {
        ArgumentOutOfRangeException.ThrowIfNotEqual(x.Count, y.Count);
        ArgumentOutOfRangeException.ThrowIfNotEqual(x.Columns, y.Columns);
        var product = new double[x.Columns * x.Columns];
        Parallel.For(0, (x.Columns - 1) / TileColumns + 1, options, () => new PackedMatrix(BatchRows, x.Columns), (tile, _, panel) =>
        {
            ComputeTile(x, y, tile * TileColumns, panel, product);
            return panel;
        }, _ => { });
        return product;
    }

    /// <summary>Computes the rows of the product that belong to a tile of columns of X.</summary>
    private static void ComputeTile(SpreadRows x, SpreadRows y, int first, PackedMatrix panel, double[] product)
    {
        int columns = x.Columns, tile = Math.Min(TileColumns, columns - first);
        int products = tile * columns;
        ArrayPool<float> pool = ArrayPool<float>.Shared;
        float[] transposed = pool.Rent(tile * BatchRows), sums = pool.Rent(products), room = pool.Rent(BatchRows * columns);
        for (int start = 0; start < x.Count; start += BatchRows)
        {
            int batch = Math.Min(BatchRows, x.Count - start);
            for (int row = 0; row < batch; row++)
            {
                ReadOnlySpan<float> source = x.Row(start + row).Slice(first, tile);
                for (int i = 0; i < tile; i++)
                    transposed[(i * batch) + row] = source[i];
            }

            fixed (float* right = y.Together(start, batch, room), column = transposed, sum = sums)
            {
                panel.Pack(right, columns, batch);
                panel.Multiply(column, batch, tile, sum, columns);
            }

            for (int i = 0; i < products; i++)
                product[((long)first * columns) + i] += sums[i];
        }

        pool.Return(transposed);
        pool.Return(sums);
        pool.Return(room);
    }
}
