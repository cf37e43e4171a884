using VectorPipe.Numerics.Conversion;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Searching.Calibrating;

/// <summary>The queries of a calibration: so many that it makes of the index's vectors, or those of the caller.</summary>
/// <remarks>Immutable.</remarks>
internal sealed class CalibrationQueries
{
    private readonly VectorElementType _elementType;
    private readonly int _dimension;

    private CalibrationQueries(int count) => Count = count;

    private CalibrationQueries(byte[] rows, int count, VectorElementType elementType, int dimension)
        : this(count) => (Rows, _elementType, _dimension) = (rows, elementType, dimension);

    /// <summary>Number of queries; at most this many where they are made.</summary>
    public int Count { get; }

    /// <summary>The caller's queries, one after another in the element type of the index; null where they are made.</summary>
    public byte[]? Rows { get; }

    /// <summary>Queries that the calibration makes.</summary>
    /// <param name="most">As many as the index has vectors at most.</param>
    public static CalibrationQueries Made(int most) => new(most);

    /// <summary>Reads the queries of a caller.</summary>
    /// <exception cref="InvalidVectorException">They do not fit the index, or are not as many as announced.</exception>
    public static async Task<CalibrationQueries> ReadAsync(VectorSource source, IndexSchema schema, CancellationToken cancellationToken)
    {
        RequireFit(schema, source.ElementType, source.Dimension);
        int rowBytes = schema.VectorBytes, count = (int)source.Count, filled = 0;
        if (count * (long)rowBytes > Array.MaxLength)
            throw new InvalidVectorException($"Expected at most {Array.MaxLength} bytes of queries, found {count * (long)rowBytes}.");
        var rows = new byte[count * rowBytes];

        var block = new byte[Math.Max(1, (1 << 20) / rowBytes) * rowBytes];
        var keys = new ulong[block.Length / rowBytes];
        while (await source.ReadAsync(block, keys, cancellationToken).ConfigureAwait(false) is > 0 and var read)
        {
            if (read > count - filled)
                throw new InvalidVectorException($"Expected {count} queries, as the source announced, found more.");
            for (int i = 0; i < read; i++)
            {
                if (VectorConversion.FindDefect(schema.Metric, schema.ElementType, block.AsSpan(i * rowBytes, rowBytes)) is { } defect)
                    throw new InvalidVectorException(filled + i, defect + ".");
            }

            block.AsSpan(0, read * rowBytes).CopyTo(rows.AsSpan(filled * rowBytes));
            filled += read;
        }

        return filled == count
            ? new CalibrationQueries(rows, count, source.ElementType, source.Dimension)
            : throw new InvalidVectorException($"Expected {count} queries, as the source announced, found {filled}.");
    }

    /// <summary>Refuses queries of another kind than the vectors of an index.</summary>
    /// <exception cref="InvalidVectorException">Type or dimension differ.</exception>
    public void RequireFit(IndexSchema schema)
    {
        if (Rows is not null)
            RequireFit(schema, _elementType, _dimension);
    }

    private static void RequireFit(IndexSchema schema, VectorElementType elementType, int dimension)
    {
        if (elementType != schema.ElementType || dimension != schema.Dimension)
            throw new InvalidVectorException(
                $"Expected queries of {schema.ElementType} with {schema.Dimension} components, as the index holds, found {elementType} "
                + $"with {dimension}.");
    }
}
