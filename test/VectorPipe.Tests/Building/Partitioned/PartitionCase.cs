using VectorPipe.Building;
using VectorPipe.Building.Partitioned;
using VectorPipe.Numerics;

namespace VectorPipe.Tests.Building.Partitioned;

/// <summary>Clustered byte vectors, as points and as the table that a build makes of them.</summary>
internal sealed class PartitionCase : IDisposable
{
    private PartitionCase(PointSet points)
    {
        Points = points;
        Table = new VectorTable(VectorForm.Of(points), points.Count);
        for (int i = 0; i < points.Count; i++)
            Table.Load(i, points, i);
    }

    public PointSet Points { get; }

    public VectorTable Table { get; }

    public static PartitionCase Create(int count, int dimension, int seed) =>
        new(TestVectors.Clustered(DistanceMetric.L2, VectorElementType.UInt8, dimension, count, queries: 0, seed).ToPointSet());

    public static PartitionCase Of(float[][] points) => new(TestVectors.Of(DistanceMetric.L2, VectorElementType.UInt8, points).ToPointSet());

    public void Dispose()
    {
        Table.Dispose();
        Points.Dispose();
    }
}
