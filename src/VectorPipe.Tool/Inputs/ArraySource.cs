using System.Numerics.Tensors;
using System.Runtime.InteropServices;

namespace VectorPipe.Tool.Inputs;

/// <summary>Vectors from an array of another format; keys are row numbers. Not thread-safe.</summary>
internal abstract class ArraySource : VectorSource
{
    private readonly StoredElement _element;
    private byte[] _stored = [];
    private long _next;

    /// <param name="place">File and array, for errors.</param>
    /// <exception cref="UsageException">The array has no row, or its rows have no component or too many.</exception>
    protected ArraySource(string place, StoredElement element, long count, long dimension)
    {
        int most = Array.MaxLength / sizeof(double);
        if (count < 1 || dimension < 1 || dimension > most)
            throw new UsageException($"{place}: expected at least 1 row of 1 to {most} components; found {count} of {dimension}.");
        (Place, _element, Count, Dimension) = (place, element, count, (int)dimension);
    }

    public override VectorElementType ElementType => _element.Type;

    public override int Dimension { get; }

    public override long Count { get; }

    /// <summary>Whether components of float64 become float32.</summary>
    public bool IsRounded => _element.IsRounded;

    protected string Place { get; }

    /// <summary>Bytes of a row in the file.</summary>
    protected int StoredRowBytes => Dimension * _element.Bytes;

    protected int StoredBytes => _element.Bytes;

    public override async ValueTask<int> ReadAsync(Memory<byte> rows, Memory<ulong> keys, CancellationToken cancellationToken = default)
    {
        int rowBytes = Dimension * _element.TargetBytes;
        int count = (int)Math.Min(Math.Min(rows.Length / rowBytes, keys.Length), Count - _next);
        if (count == 0)
            return 0;
        if (IsRounded)
        {
            // A block of the caller may be larger than an array of its components in float64.
            count = Math.Min(count, Math.Max(1, Array.MaxLength / StoredRowBytes));
            if (_stored.Length < count * StoredRowBytes)
                _stored = new byte[count * StoredRowBytes];
            Memory<byte> stored = _stored.AsMemory(0, count * StoredRowBytes);
            await ReadRowsAsync(_next, count, stored, cancellationToken);
            TensorPrimitives.ConvertTruncating(
                MemoryMarshal.Cast<byte, double>(stored.Span), MemoryMarshal.Cast<byte, float>(rows.Span)[..(count * Dimension)]);
        }
        else
        {
            await ReadRowsAsync(_next, count, rows[..(count * rowBytes)], cancellationToken);
        }

        for (int i = 0; i < count; i++)
            keys.Span[i] = (ulong)(_next + i);
        _next += count;
        return count;
    }

    /// <summary>Reads rows as the file has them, one directly after the other. Calls follow each other without a gap.</summary>
    protected abstract ValueTask ReadRowsAsync(long first, int count, Memory<byte> rows, CancellationToken cancellationToken);
}
