namespace VectorPipe.Numerics;

/// <summary>Distances to rows that lie one directly after the other in a span.</summary>
internal static class QueryDistanceRows
{
    /// <summary>Distances from the query that was set to every row.</summary>
    /// <param name="distance">The query and its metric.</param>
    /// <param name="rows">Whole rows of <paramref name="rowBytes"/> bytes; any alignment.</param>
    /// <param name="rowBytes">Bytes of a row: dimension x element size.</param>
    /// <param name="distances">Receives a distance a row.</param>
    /// <exception cref="ArgumentException">There are not as many rows as distances.</exception>
    public static unsafe void ComputeRows(this QueryDistance distance, ReadOnlySpan<byte> rows, int rowBytes, Span<float> distances)
    {
        if (rows.Length != (long)distances.Length * rowBytes)
            throw new ArgumentException($"Expected {distances.Length} rows of {rowBytes} bytes, found {rows.Length} bytes.", nameof(rows));
        fixed (byte* first = rows)
            distance.ComputeStrided(first, rowBytes, distances.Length, distances);
    }
}
