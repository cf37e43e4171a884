using VectorPipe.Building.Graphs;

namespace VectorPipe.Reference.Vamana;

/// <summary>Points in the form of kernels that work on single pairs.</summary>
internal static class PointTableRows
{
    /// <summary>Copies the points of a table.</summary>
    public static PointSet ToPointSet(this PointTable points)
    {
        var rows = new PointRows(points.Metric, points.Type, points.Dimension, points.Count);
        for (int row = 0; row < points.Count; row++)
            rows.Write(row, points.Vector(row));
        return PointSets.Create(rows);
    }
}
