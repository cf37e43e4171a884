using VectorPipe.Building.Clusters;
using VectorPipe.Building.Graphs;
using VectorPipe.Reference.Vamana;

namespace VectorPipe.Tests.Building.Partitioned;

/// <summary>Clustered byte vectors, as points and as the table that a build makes of them.</summary>
internal sealed class PartitionCase : IDisposable
{
    private PartitionCase(TestVectors vectors)
    {
        Points = vectors.ToPointTable();
        Distances = vectors.ToPointSet();
        Table = new VectorTable(KernelRowFormat.Of(Points), Points.Count);
        for (int i = 0; i < Points.Count; i++)
            Table.Load(i, Points, i);
    }

    public PointTable Points { get; }

    public PointSet Distances { get; }

    public VectorTable Table { get; }

    public static PartitionCase Create(int count, int dimension, int seed) =>
        new(TestVectors.Clustered(DistanceMetric.L2, VectorElementType.UInt8, dimension, count, queries: 0, seed));

    public static PartitionCase Of(float[][] points) => new(TestVectors.Of(DistanceMetric.L2, VectorElementType.UInt8, points));

    public void Dispose()
    {
        Table.Dispose();
        Distances.Dispose();
        Points.Dispose();
    }
}
