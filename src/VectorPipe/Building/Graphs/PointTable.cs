using System.Buffers.Binary;
using System.Runtime.InteropServices;
using VectorPipe.Building.Paging;
using VectorPipe.Numerics.Conversion;
using VectorPipe.Numerics.Distances;

namespace VectorPipe.Building.Graphs;

/// <summary>The original vectors of a build with their keys, in rows, in memory or paged.</summary>
/// <remarks>
/// <para>It also says what a vector is in the build space, in which the build distance is a squared L2 distance, symmetric and non-negative
/// for every metric, so that pruning by alpha means the same for all.
/// For L2 that is the vector; for cosine the vector at unit length; for the inner product the vector with one more component sqrt(M² -
/// |x|²), M the largest norm
/// (Bachrach et al. 2014): nearest neighbours of a query, whose extra component is 0, are then exactly the largest inner products.</para>
/// <para>A thread touches rows of a paged table for which it has asked a lease. Different threads may write different rows at a time. Freed
/// by <see cref="Dispose"/>.</para>
/// </remarks>
internal sealed unsafe class PointTable : IDisposable
{
    private readonly TableMemory _memory;

    /// <param name="metric">The metric the graph is for.</param>
    /// <param name="type">Type of a component.</param>
    /// <param name="dimension">Components of a vector, at least 1.</param>
    /// <param name="count">Rows, at least 1.</param>
    /// <param name="paging">What pages the rows; null to have them in memory.</param>
    /// <param name="name">Names the scratch file.</param>
    public PointTable(
        DistanceMetric metric, VectorElementType type, int dimension, int count, PagedMemory? paging = null, string name = "points")
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(dimension, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(count, 1);
        Metric = metric;
        Type = type;
        Dimension = dimension;
        Count = count;
        VectorBytes = checked(dimension * type.SizeInBytes());
        RowBytes = VectorBytes + sizeof(ulong);
        _memory = TableMemory.Take(paging, name, (long)count * RowBytes);
    }

    /// <summary>The metric the graph is for.</summary>
    public DistanceMetric Metric { get; }

    /// <summary>Type of a component.</summary>
    public VectorElementType Type { get; }

    /// <summary>Components of a vector.</summary>
    public int Dimension { get; }

    /// <summary>How many rows.</summary>
    public int Count { get; }

    /// <summary>Bytes of a vector.</summary>
    public int VectorBytes { get; }

    /// <summary>Bytes of a row: a vector, and 8 of its key.</summary>
    public int RowBytes { get; }

    /// <summary>Under the inner product the largest squared norm of all vectors: what the extra component is measured from.</summary>
    public double LargestSquaredNorm { get; set; }

    /// <summary>Whether components are of 4 or 2 bytes, and distances computed in float32.</summary>
    public bool IsFloat => Type is VectorElementType.Float32 or VectorElementType.Float16;

    /// <summary>Components of a vector of the build space.</summary>
    public int BuildDimension => Metric == DistanceMetric.InnerProduct ? Dimension + 1 : Dimension;

    /// <summary>Notes that rows that lie one after another, and those before them, will not be used again soon.</summary>
    public void Retire(PageLease lease, int first, int count)
    {
        if (_memory.Region is { } region)
            lease.Retire(region, (long)first * RowBytes, (long)count * RowBytes);
    }

    /// <summary>Asks for rows that lie one after another.</summary>
    public void Ask(PageLease lease, int first, int count)
    {
        if (_memory.Region is { } region)
            lease.Ask(region, (long)first * RowBytes, (long)count * RowBytes);
    }

    /// <summary>The vector of a row, as it was given.</summary>
    public ReadOnlySpan<byte> Vector(int row) => new(Row(row), VectorBytes);

    /// <summary>The key of a row.</summary>
    public ulong Key(int row) => BinaryPrimitives.ReadUInt64LittleEndian(new ReadOnlySpan<byte>(Row(row) + VectorBytes, sizeof(ulong)));

    /// <summary>Vector and key of a row.</summary>
    public ReadOnlySpan<byte> Record(int row) => new(Row(row), RowBytes);

    /// <summary>Rows that lie one after another, to be read; they are leased.</summary>
    public ReadOnlySpan<byte> Rows(int first, int count) => new(Row(first), checked(count * RowBytes));

    /// <summary>Rows that lie one after another, to be written; they are leased.</summary>
    public Span<byte> Records(int first, int count)
    {
        _memory.Region?.MarkDirty((long)first * RowBytes, (long)count * RowBytes);
        return new Span<byte>(Row(first), checked(count * RowBytes));
    }

    /// <summary>Fills a row, and takes its norm into account.</summary>
    public void Set(int row, ReadOnlySpan<byte> vector, ulong key)
    {
        Span<byte> record = Records(row, 1);
        vector.CopyTo(record);
        BinaryPrimitives.WriteUInt64LittleEndian(record[VectorBytes..], key);
        if (Metric == DistanceMetric.InnerProduct)
            LargestSquaredNorm = Math.Max(LargestSquaredNorm, SquaredNorm(row));
    }

    /// <summary>Writes a row's vector of the build space: of byte vectors under the inner product and cosine too.</summary>
    /// <param name="row">Which row.</param>
    /// <param name="vector">Receives <see cref="BuildDimension"/> components.</param>
    public void CopyBuildVector(int row, Span<float> vector)
    {
        Span<float> given = vector[..Dimension];
        CopyGiven(row, given);
        double squaredNorm = Metric == DistanceMetric.L2 ? 0 : SquaredNorm(given);
        if (Metric == DistanceMetric.InnerProduct)
        {
            vector[Dimension] = (float)Math.Sqrt(Math.Max(0, LargestSquaredNorm - squaredNorm));
        }
        else if (Metric == DistanceMetric.Cosine)
        {
            double scale = 1 / Math.Sqrt(squaredNorm);
            foreach (ref float component in given)
                component = (float)(component * scale);
        }
    }

    /// <summary>The number that goes with a byte row: its squared norm (cosine), or its extra component (inner product).</summary>
    public float Auxiliary(int row)
    {
        double squaredNorm = SquaredNorm(row);
        return Metric == DistanceMetric.Cosine ? (float)squaredNorm : MathF.Sqrt((float)Math.Max(0, LargestSquaredNorm - squaredNorm));
    }

    /// <summary>Frees the rows.</summary>
    public void Dispose() => _memory.Dispose();

    private byte* Row(int row) => _memory.Pointer + (long)row * RowBytes;

    private void CopyGiven(int row, Span<float> vector)
    {
        byte* bytes = Row(row);
        switch (Type)
        {
            case VectorElementType.Float32:
                MemoryMarshal.Cast<byte, float>(Vector(row)).CopyTo(vector);
                break;
            case VectorElementType.Float16:
                ReadOnlySpan<Half> halves = MemoryMarshal.Cast<byte, Half>(Vector(row));
                for (int i = 0; i < vector.Length; i++)
                    vector[i] = (float)halves[i];
                break;
            case VectorElementType.Int8:
                for (int i = 0; i < vector.Length; i++)
                    vector[i] = (sbyte)bytes[i];
                break;
            default:
                for (int i = 0; i < vector.Length; i++)
                    vector[i] = bytes[i];
                break;
        }
    }

    private double SquaredNorm(int row)
    {
        byte* bytes = Row(row);
        if (Type == VectorElementType.Int8)
            return DistanceKernels.Dot((sbyte*)bytes, (sbyte*)bytes, Dimension);
        if (Type == VectorElementType.UInt8)
            return DistanceKernels.Dot(bytes, bytes, Dimension);
        return VectorConversion.SquaredNorm(Type, Vector(row));
    }

    private static double SquaredNorm(ReadOnlySpan<float> vector)
    {
        double sum = 0;
        foreach (float component in vector)
            sum += (double)component * component;
        return sum;
    }
}
