namespace VectorPipe.Numerics;

/// <summary>XᵀY of two tall matrices of floats. No state.</summary>
internal static unsafe class CrossProduct
{
    // Rows whose products are summed as floats before they go into a double: few enough to lose nothing, and to stay in the cache.
    private const int BatchRows = 256;
    private const int TileColumns = 48;

    /// <summary>Bytes that a thread needs for the while.</summary>
    /// <param name="columns">Columns of X and Y.</param>
    public static long ScratchBytes(int columns) =>
        PackedMatrix.ByteLength(BatchRows, columns) + (long)TileColumns * (BatchRows + columns) * sizeof(float);

    /// <summary>Computes the product; the same on any number of threads.</summary>
    /// <param name="x">rows x columns floats, row by row.</param>
    /// <param name="y">As many.</param>
    /// <param name="rows">Rows; 1 or more.</param>
    /// <param name="columns">Columns; 1 or more.</param>
    /// <param name="options">How many threads, and what cancels.</param>
    /// <returns>columns x columns numbers, row by row.</returns>
    public static double[] Compute(ReadOnlyMemory<float> x, ReadOnlyMemory<float> y, int rows, int columns, ParallelOptions options)
    {
        var product = new double[columns * columns];
        Parallel.For(0, (columns - 1) / TileColumns + 1, options, tile => ComputeTile(x.Span, y.Span, rows, columns, tile * TileColumns, product));
        return product;
    }

    /// <summary>The product's rows that belong to some columns of X.</summary>
    private static void ComputeTile(ReadOnlySpan<float> x, ReadOnlySpan<float> y, int rows, int columns, int first, double[] product)
    {
        int tile = Math.Min(TileColumns, columns - first);
        var panel = new PackedMatrix(BatchRows, columns);
        float[] transposed = new float[tile * BatchRows], sums = new float[tile * columns];
        fixed (float* left = x, right = y, column = transposed, sum = sums)
        {
            for (int start = 0; start < rows; start += BatchRows)
            {
                int batch = Math.Min(BatchRows, rows - start);
                nint at = (nint)start * columns;
                panel.Pack(right + at, columns, batch);
                for (int row = 0; row < batch; row++)
                {
                    float* source = left + at + ((nint)row * columns) + first;
                    for (int i = 0; i < tile; i++)
                        column[(i * batch) + row] = source[i];
                }

                panel.Multiply(column, batch, tile, sum, columns);
                for (int i = 0; i < sums.Length; i++)
                    product[((long)first * columns) + i] += sums[i];
            }
        }
    }
}
