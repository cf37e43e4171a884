using System.Diagnostics;

namespace VectorPipe.Numerics.LinearAlgebra;

/// <summary>A view of rows spread evenly over those of a matrix of floats. Immutable.</summary>
internal readonly struct SpreadRows
{
    private readonly ReadOnlyMemory<float> _matrix;
    private readonly int _of;

    /// <summary>All rows of a matrix.</summary>
    /// <param name="matrix">count x columns floats, row by row.</param>
    /// <param name="count">Rows; 1 or more.</param>
    /// <param name="columns">Columns; 1 or more.</param>
    public SpreadRows(ReadOnlyMemory<float> matrix, int count, int columns)
        : this(matrix, count, columns, count)
    {
    }

    /// <summary>Evenly spread rows of a matrix.</summary>
    /// <param name="matrix">rows x columns floats, row by row.</param>
    /// <param name="rows">Rows of the matrix.</param>
    /// <param name="columns">Columns; 1 or more.</param>
    /// <param name="count">Rows of the view; 1 to <paramref name="rows"/>.</param>
    public SpreadRows(ReadOnlyMemory<float> matrix, int rows, int columns, int count)
    {
        Debug.Assert(count >= 1 && count <= rows && matrix.Length >= (long)rows * columns, "some rows of a whole matrix");
        _matrix = matrix;
        _of = rows;
        Columns = columns;
        Count = count;
    }

    /// <summary>The number of rows.</summary>
    public int Count { get; }

    /// <summary>Columns.</summary>
    public int Columns { get; }

    /// <summary>A row.</summary>
    public ReadOnlySpan<float> Row(int row) => _matrix.Span.Slice((int)((long)row * _of / Count) * Columns, Columns);

    /// <summary>Returns contiguous rows: those of the matrix if the view has them all, else a copy.</summary>
    /// <param name="first">The first row.</param>
    /// <param name="count">The number of rows.</param>
    /// <param name="room">Receives the copy; count x columns floats.</param>
    public ReadOnlySpan<float> Together(int first, int count, Span<float> room)
    {
        if (Count == _of)
            return _matrix.Span.Slice(first * Columns, count * Columns);
        for (int i = 0; i < count; i++)
            Row(first + i).CopyTo(room.Slice(i * Columns, Columns));
        return room[..(count * Columns)];
    }
}
