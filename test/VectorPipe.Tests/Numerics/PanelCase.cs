using VectorPipe.Building.Clusters;
using VectorPipe.Building.Graphs;
using VectorPipe.Numerics.Panels;
using VectorPipe.Tests.Building;

namespace VectorPipe.Tests.Numerics;

/// <summary>Random rows in the form of the panel kernels, made from vectors of a user's type.</summary>
internal sealed class PanelCase : IDisposable
{
    private readonly VectorTable _table;
    private readonly byte[] _bytes;
    private readonly float[] _floats;
    private readonly int _dimension;
    private readonly bool _isUnsigned;

    private PanelCase(PointTable points, VectorElementType type, byte[] bytes, float[] floats, int dimension, int count)
    {
        _table = new VectorTable(KernelRowFormat.Of(points), count);
        for (int i = 0; i < count; i++)
            _table.Load(i, points, i);
        _bytes = bytes;
        _floats = floats;
        _dimension = dimension;
        _isUnsigned = type == VectorElementType.UInt8;
        points.Dispose();
    }

    public int Count => _table.Count;

    public PanelRows Rows => _table.Rows;

    public static PanelCase Bytes(PanelDistance distance, bool isUnsigned, int dimension, int count, int pattern)
    {
        byte[] bytes = new byte[dimension * count];
        if (isUnsigned)
            KernelCases.Fill<byte>(bytes, new Random(KernelCases.Seed), pattern);
        else
            KernelCases.Fill<sbyte>(
                System.Runtime.InteropServices.MemoryMarshal.Cast<byte, sbyte>(bytes.AsSpan()), new Random(KernelCases.Seed), pattern);
        DistanceMetric metric = distance switch
        {
            PanelDistance.ByteL2 => DistanceMetric.L2,
            PanelDistance.ByteL2Extended => DistanceMetric.InnerProduct,
            _ => DistanceMetric.Cosine,
        };
        VectorElementType type = isUnsigned ? VectorElementType.UInt8 : VectorElementType.Int8;
        return new PanelCase(TestVectors.ToPointTable(metric, type, dimension, count, bytes), type, bytes, [], dimension, count);
    }

    public static PanelCase Floats(int dimension, int count)
    {
        float[] floats = new float[dimension * count];
        KernelCases.Fill<float>(floats, new Random(KernelCases.Seed), pattern: 0);
        ReadOnlySpan<byte> bytes = System.Runtime.InteropServices.MemoryMarshal.AsBytes<float>(floats);
        PointTable points = TestVectors.ToPointTable(DistanceMetric.L2, VectorElementType.Float32, dimension, count, bytes);
        return new PanelCase(points, VectorElementType.Float32, [], floats, dimension, count);
    }

    /// <summary>A component of a byte row before conversion.</summary>
    public int Component(int row, int i) => _isUnsigned ? _bytes[row * _dimension + i] : (sbyte)_bytes[row * _dimension + i];

    /// <summary>A component of a float row.</summary>
    public float Value(int row, int i) => _floats[row * _dimension + i];

    public void Dispose() => _table.Dispose();
}
