using VectorPipe.Numerics;

namespace VectorPipe.Building.Partitioned;

/// <summary>The form in which a partitioned build keeps vectors: that of <see cref="PanelRows"/>, in which the build distance of <see cref="PointSet"/> is computed.</summary>
/// <param name="Distance">What the kernels compute.</param>
/// <param name="Components">Components of a row: of float rows those of the build space, of byte rows those of the vector.</param>
/// <param name="IsUnsigned">Whether the components were uint8 and are stored less 128.</param>
internal readonly record struct VectorForm(PanelDistance Distance, int Components, bool IsUnsigned)
{
    /// <summary>Whether rows are float32.</summary>
    public bool IsFloat => Distance == PanelDistance.Float;

    /// <summary>32-bit words of a row.</summary>
    public int Words => IsFloat ? Components : (Components + 3) / 4;

    /// <summary>Whether there is an auxiliary number a row.</summary>
    public bool HasAuxiliary => Distance is PanelDistance.ByteL2Extended or PanelDistance.ByteChord;

    /// <summary>The form of a point set.</summary>
    public static VectorForm Of(PointSet points)
    {
        PointRows rows = points.Rows;
        if (rows.IsFloat)
            return new VectorForm(PanelDistance.Float, rows.RowComponents, IsUnsigned: false);
        PanelDistance distance = rows.Metric switch
        {
            DistanceMetric.L2 => PanelDistance.ByteL2,
            DistanceMetric.InnerProduct => PanelDistance.ByteL2Extended,
            _ => PanelDistance.ByteChord,
        };
        return new VectorForm(distance, rows.Dimension, rows.Type == VectorElementType.UInt8);
    }
}
