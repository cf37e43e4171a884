using System.Runtime.InteropServices;
using VectorPipe.Devices.Native;
using VectorPipe.Numerics.Conversion;

namespace VectorPipe.Reference.Vamana;

/// <summary>Rows of points in native memory, filled one by one for <see cref="PointSets"/>.</summary>
/// <remarks>
/// float16 vectors become float32 rows; other types stay. Float rows under the inner product have room for one more component. The stride
/// is a multiple of 32 bytes, to touch few cache lines; bytes past a vector are 0. Threads may write different rows at once.
/// </remarks>
internal sealed unsafe class PointRows : IDisposable
{
    private const int StrideMultiple = 32;

    private readonly NativeBuffer _memory;

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

    public DistanceMetric Metric { get; }

    /// <summary>Type of the components that <see cref="Write"/> receives.</summary>
    public VectorElementType Type { get; }

    public int Dimension { get; }

    /// <summary>Components of a row: <see cref="Dimension"/>, and one more for float rows under the inner product.</summary>
    public int RowComponents { get; }

    public int Count { get; }

    /// <summary>Whether rows are float32; otherwise they are bytes, signed or not as <see cref="Type"/> says.</summary>
    public bool IsFloat => Type is VectorElementType.Float32 or VectorElementType.Float16;

    /// <summary>Bytes from one row to the next.</summary>
    public nint Stride { get; }

    public byte* First { get; }

    public byte* Row(int row) => First + row * Stride;

    /// <summary>The components of a float32 row.</summary>
    public Span<float> FloatRow(int row) => new(Row(row), RowComponents);

    /// <summary>Fills a row with the bytes of a vector.</summary>
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

    /// <summary>Frees the rows. The point set that owns them calls it.</summary>
    public void Dispose() => _memory.Dispose();
}
