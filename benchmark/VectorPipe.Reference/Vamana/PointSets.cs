using VectorPipe.Numerics.Conversion;

namespace VectorPipe.Reference.Vamana;

/// <summary>Makes the point set that fits a metric and an element type.</summary>
internal static class PointSets
{
    /// <summary>Makes a point set of rows that lie one after another without gaps; they are copied.</summary>
    /// <param name="metric">The metric the graph is for.</param>
    /// <param name="type">Type of a component.</param>
    /// <param name="dimension">Components of a vector, at least 1.</param>
    /// <param name="count">How many vectors, at least 1.</param>
    /// <param name="packedRows">count x dimension x element size bytes. For more than 2 GiB, fill a <see cref="PointRows"/>
    /// instead.</param>
    /// <exception cref="VectorPipeException">A vector is zero under cosine, or not finite, or too large.</exception>
    public static PointSet Create(DistanceMetric metric, VectorElementType type, int dimension, int count, ReadOnlySpan<byte> packedRows)
    {
        int rowBytes = checked(dimension * type.SizeInBytes());
        if (packedRows.Length != (long)rowBytes * count)
            throw new ArgumentException(
                $"Expected {(long)rowBytes * count} bytes ({count} x {dimension} x {type}), found {packedRows.Length}.",
                nameof(packedRows));

        var rows = new PointRows(metric, type, dimension, count);
        for (int i = 0; i < count; i++)
            rows.Write(i, packedRows.Slice(i * rowBytes, rowBytes));
        return Create(rows);
    }

    /// <summary>Makes a point set of filled rows, without copying them.</summary>
    /// <param name="rows">Taken over: disposed with the point set, and at once when this method fails. Float rows are rewritten in
    /// place.</param>
    /// <exception cref="VectorPipeException">A vector is zero under cosine, or not finite, or too large.</exception>
    public static PointSet Create(PointRows rows)
    {
        try
        {
            return rows.IsFloat ? new FloatPointSet(rows) : new BytePointSet(rows);
        }
        catch
        {
            rows.Dispose();
            throw;
        }
    }
}
