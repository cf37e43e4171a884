using VectorPipe.Building.Graphs;
using VectorPipe.Numerics.Panels;

namespace VectorPipe.Building.Clusters;

/// <summary>
/// The form of vectors in <see cref="PanelRows"/>, in which the build distance is computed, see <see cref="PointTable"/>.
/// </summary>
/// <param name="Distance">The distance that the kernels compute.</param>
/// <param name="Components">Components of a row: those of the build space in float rows, those of the vector in byte rows.</param>
/// <param name="IsUnsigned">Whether components were uint8, and are stored minus 128.</param>
internal readonly record struct KernelRowFormat(PanelDistance Distance, int Components, bool IsUnsigned)
{
    public bool IsFloat => Distance == PanelDistance.Float;

    /// <summary>32-bit words of a row.</summary>
    public int Words => IsFloat ? Components : (Components + 3) / 4;

    /// <summary>Whether rows have an auxiliary number.</summary>
    public bool HasAuxiliary => Distance is PanelDistance.ByteL2Extended or PanelDistance.ByteChord;

    public static KernelRowFormat Of(PointTable points) => Of(points.Metric, points.Type, points.Dimension);

    public static KernelRowFormat Of(DistanceMetric metric, VectorElementType type, int dimension)
    {
        if (type is VectorElementType.Float32 or VectorElementType.Float16)
            return new KernelRowFormat(
                PanelDistance.Float, metric == DistanceMetric.InnerProduct ? dimension + 1 : dimension, IsUnsigned: false);
        PanelDistance distance = metric switch
        {
            DistanceMetric.L2 => PanelDistance.ByteL2,
            DistanceMetric.InnerProduct => PanelDistance.ByteL2Extended,
            _ => PanelDistance.ByteChord,
        };
        return new KernelRowFormat(distance, dimension, type == VectorElementType.UInt8);
    }
}
