using System.Runtime.CompilerServices;
using VectorPipe.Numerics.Panels;

namespace VectorPipe.Numerics.LinearAlgebra;

/// <summary>A matrix of floats packed for products of many rows with it: groups of 16 columns, row by row.</summary>
/// <remarks>
/// An entry of a product is summed in the order of the rows of the matrix, so its bits do not depend on the other rows.
/// Multiplying is thread-safe; packing is not.
/// </remarks>
internal sealed unsafe class PackedMatrix
{
    private const int TileRows = 6;

    private readonly float[] _values;

    /// <param name="rows">Rows at most; 1 or more.</param>
    /// <param name="columns">Columns; 1 or more.</param>
    public PackedMatrix(int rows, int columns)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(rows, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(columns, 1);
        Columns = columns;
        _values = new float[(long)rows * VectorPanel.Lanes(columns)];
    }

    /// <summary>Rows that are packed.</summary>
    public int Rows { get; private set; }

    /// <summary>Columns.</summary>
    public int Columns { get; }

    /// <summary>Bytes that a matrix of a shape takes.</summary>
    public static long ByteLength(int rows, int columns) => (long)rows * VectorPanel.Lanes(columns) * sizeof(float);

    /// <summary>Replaces the matrix.</summary>
    /// <param name="source">The first entry.</param>
    /// <param name="stride">Entries from row to row.</param>
    /// <param name="rows">Rows; not more than there is room for.</param>
    public void Pack(float* source, nint stride, int rows)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan((long)rows * VectorPanel.Lanes(Columns), _values.Length);
        Rows = rows;
        int at = 0;
        for (int column = 0; column < Columns; column += VectorPanel.GroupSize)
        {
            int width = Math.Min(VectorPanel.GroupSize, Columns - column);
            for (int row = 0; row < rows; row++, at += VectorPanel.GroupSize)
                new ReadOnlySpan<float>(source + (row * stride) + column, width).CopyTo(_values.AsSpan(at, width));
        }
    }

    /// <summary>Multiplies rows with the matrix: y = x A for each row x.</summary>
    /// <param name="left">The first row of <see cref="Rows"/> floats.</param>
    /// <param name="leftStride">Floats from row to row.</param>
    /// <param name="count">The number of rows.</param>
    /// <param name="result">Receives <see cref="Columns"/> floats a row; apart from the rows.</param>
    /// <param name="resultStride">Floats from row to row of the result.</param>
    [SkipLocalsInit]
    public void Multiply(float* left, nint leftStride, int count, float* result, nint resultStride)
    {
        // Kernels write whole groups, so they write to a strip of columns on the stack.
        const int Strip = 4 * VectorPanel.GroupSize;
        float* sums = stackalloc float[TileRows * Strip];
        byte** rows = stackalloc byte*[TileRows];
        byte** results = stackalloc byte*[TileRows];
        for (int i = 0; i < TileRows; i++)
            results[i] = (byte*)(sums + (i * Strip));
        fixed (float* values = _values)
        {
            for (int first = 0; first < Columns; first += Strip)
            {
                int width = Math.Min(Strip, Columns - first);
                byte* panel = (byte*)(values + ((nint)first * Rows));
                for (int row = 0; row < count; row += TileRows)
                {
                    // Pad the tile with copies of the last row.
                    int tile = Math.Min(TileRows, count - row);
                    for (int i = 0; i < TileRows; i++)
                        rows[i] = (byte*)(left + ((row + Math.Min(i, tile - 1)) * leftStride));
                    if (tile == 1)
                        PanelKernel<ProductPanelLanes>.OneRow(rows[0], panel, Rows, 0, width, results[0]);
                    else
                        PanelKernel<ProductPanelLanes>.SixRows(rows, panel, Rows, width, results);
                    for (int i = 0; i < tile; i++)
                        new Span<float>(results[i], width).CopyTo(new Span<float>(result + ((row + i) * resultStride) + first, width));
                }
            }
        }
    }
}
