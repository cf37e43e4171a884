using System.Buffers.Binary;
using VectorPipe.Building.Paging;
using VectorPipe.Numerics.Conversion;
using VectorPipe.Numerics.Distances;

namespace VectorPipe.Building.Graphs;

/// <summary>The original vectors of a build with their keys, a row each.</summary>
/// <remarks>
/// It also maps a vector to the build space, where the build distance is a squared L2 distance for every metric, so that pruning by alpha
/// means the same for all. Under L2 that is the vector, under cosine the vector at unit length, under the inner product the vector with one
/// more component sqrt(M² - |x|²), M being the largest norm (Bachrach et al. 2014): the nearest neighbours of a query, whose extra
/// component is 0, then have exactly the largest inner products.
/// </remarks>
internal sealed unsafe class PointTable(
    DistanceMetric metric, VectorElementType type, int dimension, int count, PagedMemory? paging = null, string name = "points")
    : RowTable(paging, name, count, checked((dimension * type.SizeInBytes()) + sizeof(ulong)))
{
    public DistanceMetric Metric => metric;

    public VectorElementType Type => type;

    public int Dimension => dimension;

    /// <summary>Bytes of a vector; a row has the 8 of its key besides.</summary>
    public int VectorBytes { get; } = dimension * type.SizeInBytes();

    /// <summary>Under the inner product the largest squared norm of all vectors, M².</summary>
    public double LargestSquaredNorm { get; set; }

    /// <summary>Components of a vector of the build space.</summary>
    public int BuildDimension => metric == DistanceMetric.InnerProduct ? dimension + 1 : dimension;

    /// <summary>The original vector of a row.</summary>
    public ReadOnlySpan<byte> Vector(int row) => new(Row(row), VectorBytes);

    /// <summary>The key of a row.</summary>
    public ulong Key(int row) => BinaryPrimitives.ReadUInt64LittleEndian(new ReadOnlySpan<byte>(Row(row) + VectorBytes, sizeof(ulong)));

    /// <summary>Fills a row, and takes its norm into account.</summary>
    public void Set(int row, ReadOnlySpan<byte> vector, ulong key)
    {
        Span<byte> record = StretchToWrite(row, 1);
        vector.CopyTo(record);
        BinaryPrimitives.WriteUInt64LittleEndian(record[VectorBytes..], key);
        if (metric == DistanceMetric.InnerProduct)
            LargestSquaredNorm = Math.Max(LargestSquaredNorm, SquaredNorm(row));
    }

    /// <summary>Writes a row's vector of the build space, <see cref="BuildDimension"/> components.</summary>
    public void CopyBuildVector(int row, Span<float> vector)
    {
        Span<float> original = vector[..dimension];
        VectorConversion.ToFloat(type, Vector(row), original);
        double squaredNorm = metric == DistanceMetric.L2 ? 0 : SquaredNorm(original);
        if (metric == DistanceMetric.InnerProduct)
        {
            vector[dimension] = (float)Math.Sqrt(Math.Max(0, LargestSquaredNorm - squaredNorm));
        }
        else if (metric == DistanceMetric.Cosine)
        {
            double scale = 1 / Math.Sqrt(squaredNorm);
            foreach (ref float component in original)
                component = (float)(component * scale);
        }
    }

    /// <summary>The number that goes with a byte row: its squared norm (cosine), or its extra component (inner product).</summary>
    public float Auxiliary(int row)
    {
        double squaredNorm = SquaredNorm(row);
        return metric == DistanceMetric.Cosine ? (float)squaredNorm : MathF.Sqrt((float)Math.Max(0, LargestSquaredNorm - squaredNorm));
    }

    private double SquaredNorm(int row)
    {
        byte* bytes = Row(row);
        return type switch
        {
            VectorElementType.Int8 => DistanceKernels.Dot((sbyte*)bytes, (sbyte*)bytes, dimension),
            VectorElementType.UInt8 => DistanceKernels.Dot(bytes, bytes, dimension),
            _ => VectorConversion.SquaredNorm(type, Vector(row)),
        };
    }

    private static double SquaredNorm(ReadOnlySpan<float> vector)
    {
        double sum = 0;
        foreach (float component in vector)
            sum += (double)component * component;
        return sum;
    }
}
