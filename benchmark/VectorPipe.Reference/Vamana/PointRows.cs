using System.Runtime.InteropServices;
using VectorPipe.Devices.Native;
using VectorPipe.Numerics.Conversion;

namespace VectorPipe.Reference.Vamana;

/// <summary>
/// Rows of a build in native memory, one a point, at a stride that suits the kernels; filled row by row, then handed to
/// <see cref="PointSets"/>.
/// </summary>
/// <remarks>
/// <para>float32 and float16 vectors become float32 rows; uint8 and int8 vectors stay as they are. A row of float32 under the inner product
/// has room for
/// one more component. The stride is a multiple of 32 bytes: no row touches more cache lines than it must, and bytes past a vector are
/// 0.</para>
/// <para>Different rows may be written by different threads at a time.</para>
/// </remarks>
internal sealed unsafe class PointRows : IDisposable
{
    private const int StrideMultiple = 32;

    private readonly NativeBuffer _memory;

    /// <param name="metric">The metric the graph is for.</param>
    /// <param name="type">Type of the components that <see cref="Write"/> is given.</param>
    /// <param name="dimension">Components of a vector, at least 1.</param>
    /// <param name="count">Rows, at least 1.</param>
    /// <exception cref="OutOfMemoryException">The rows cannot be had.</exception>
    public PointRows(DistanceMetric metric, VectorElementType type, int dimension, int count)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(dimension, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(count, 1);
        Metric = metric;
        Type = type;
        Dimension = dimension;
        Count = count;
        RowComponents = IsFloat && metric == DistanceMetric.InnerProduct ? dimension + 1 : dimension;
        long rowBytes = (long)RowComponents * (IsFloat ? sizeof(float) : 1);
        Stride = (nint)((rowBytes + StrideMultiple - 1) / StrideMultiple * StrideMultiple);
        _memory = new NativeBuffer((nuint)Stride * (nuint)count);
        First = _memory.Pointer;
    }

    /// <summary>The metric the graph is for.</summary>
    public DistanceMetric Metric { get; }

    /// <summary>Type of the components that <see cref="Write"/> is given.</summary>
    public VectorElementType Type { get; }

    /// <summary>Components of a vector.</summary>
    public int Dimension { get; }

    /// <summary>Components of a row: <see cref="Dimension"/>, and one more for float rows under the inner product.</summary>
    public int RowComponents { get; }

    /// <summary>How many rows.</summary>
    public int Count { get; }

    /// <summary>Whether rows are float32; otherwise they are bytes, signed or not as <see cref="Type"/> says.</summary>
    public bool IsFloat => Type is VectorElementType.Float32 or VectorElementType.Float16;

    /// <summary>Bytes from one row to the next.</summary>
    public nint Stride { get; }

    /// <summary>First byte of row 0.</summary>
    public byte* First { get; }

    /// <summary>First byte of a row.</summary>
    public byte* Row(int row) => First + row * Stride;

    /// <summary>The components of a float32 row.</summary>
    public Span<float> FloatRow(int row) => new(Row(row), RowComponents);

    /// <summary>Fills a row from a vector's stored bytes.</summary>
    /// <param name="row">0 .. <see cref="Count"/>-1.</param>
    /// <param name="vector">dimension x element size bytes, little-endian.</param>
    public void Write(int row, ReadOnlySpan<byte> vector)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(row);
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(row, Count);
        int expected = Dimension * Type.SizeInBytes();
        if (vector.Length != expected)
            throw new ArgumentException(
                $"Expected {expected} bytes ({Dimension} x {Type}), found {vector.Length} for row {row}.", nameof(vector));

        if (Type != VectorElementType.Float16)
        {
            vector.CopyTo(new Span<byte>(Row(row), expected));
            return;
        }

        ReadOnlySpan<Half> halves = MemoryMarshal.Cast<byte, Half>(vector);
        Span<float> floats = FloatRow(row);
        for (int i = 0; i < halves.Length; i++)
            floats[i] = (float)halves[i];
    }

    /// <summary>Frees the rows; called by the point set that took them over.</summary>
    public void Dispose() => _memory.Dispose();
}
