using System.Runtime.InteropServices;
using VectorPipe.Numerics.Conversion;

namespace VectorPipe.Sources;

/// <summary>Vectors in memory as a source.</summary>
internal sealed class MemoryVectorSource<T> : VectorSource
    where T : unmanaged
{
    private readonly ReadOnlyMemory<T> _rows;
    private readonly ReadOnlyMemory<ulong> _keys;
    private int _next;

    public MemoryVectorSource(ReadOnlyMemory<T> rows, int dimension, ReadOnlyMemory<ulong> keys)
    {
        ElementType = VectorElementTypes.Of<T>();
        if (dimension < 1 || rows.Length % dimension != 0)
            throw new InvalidVectorException($"Expected a whole number of rows of {dimension} components, found {rows.Length} components.");
        Dimension = dimension;
        Count = rows.Length / dimension;
        if (!keys.IsEmpty && keys.Length != Count)
            throw new InvalidVectorException($"Expected {Count} keys, one a row, found {keys.Length}.");
        _rows = rows;
        _keys = keys;
    }

    public override VectorElementType ElementType { get; }

    public override int Dimension { get; }

    public override long Count { get; }

    public override ValueTask<int> ReadAsync(Memory<byte> rows, Memory<ulong> keys, CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        int rowBytes = Dimension * ElementType.SizeInBytes();
        int take = Math.Min(rows.Length / rowBytes, (int)Count - _next);
        MemoryMarshal.AsBytes(_rows.Span.Slice(_next * Dimension, take * Dimension)).CopyTo(rows.Span);
        for (int i = 0; i < take; i++)
            keys.Span[i] = _keys.IsEmpty ? (ulong)(_next + i) : _keys.Span[_next + i];
        _next += take;
        return ValueTask.FromResult(take);
    }
}
