using VectorPipe.Building.Graphs;
using VectorPipe.Numerics.Conversion;

namespace VectorPipe.Reference.Vamana;

/// <summary>Creates the point set for a metric and an element type.</summary>
internal static class PointSets
{
    /// <summary>Creates a point set with copies of contiguous rows.</summary>
    /// <param name="packedRows">count x dimension x element size bytes.</param>
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

    /// <summary>Creates a point set with copies of the points of a table.</summary>
    public static PointSet ToPointSet(this PointTable points)
    {
        var rows = new PointRows(points.Metric, points.Type, points.Dimension, points.Count);
        for (int row = 0; row < points.Count; row++)
            rows.Write(row, points.Vector(row));
        return Create(rows);
    }

    /// <summary>Creates a point set of filled rows, without copying them.</summary>
    /// <param name="rows">Owned by the point set, and disposed if this method fails. Float rows are rewritten in place.</param>
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
