using System.Runtime.InteropServices;
using VectorPipe.Numerics.Conversion;

namespace VectorPipe.Sources;

/// <summary>A stream of a known number of vectors as a source.</summary>
internal sealed class AsyncVectorSource<T> : VectorSource
    where T : unmanaged
{
    private readonly IAsyncEnumerable<KeyValuePair<ulong, ReadOnlyMemory<T>>> _vectors;
    private IAsyncEnumerator<KeyValuePair<ulong, ReadOnlyMemory<T>>>? _enumerator;
    private long _read;

    public AsyncVectorSource(IAsyncEnumerable<KeyValuePair<ulong, ReadOnlyMemory<T>>> vectors, int dimension, long count)
    {
        ArgumentNullException.ThrowIfNull(vectors);
        ArgumentOutOfRangeException.ThrowIfLessThan(dimension, 1);
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        _vectors = vectors;
        ElementType = VectorElementTypes.Of<T>();
        Dimension = dimension;
        Count = count;
    }

    public override VectorElementType ElementType { get; }

    public override int Dimension { get; }

    public override long Count { get; }

    public override async ValueTask<int> ReadAsync(Memory<byte> rows, Memory<ulong> keys, CancellationToken cancellationToken = default)
    {
        _enumerator ??= _vectors.GetAsyncEnumerator(cancellationToken);
        int rowBytes = Dimension * ElementType.SizeInBytes();
        int most = Math.Min(rows.Length / rowBytes, keys.Length), read = 0;
        while (read < most && await _enumerator.MoveNextAsync().ConfigureAwait(false))
        {
            cancellationToken.ThrowIfCancellationRequested();
            (ulong key, ReadOnlyMemory<T> vector) = _enumerator.Current;
            if (vector.Length != Dimension)
                throw new InvalidVectorException(_read + read, $"expected {Dimension} components, found {vector.Length}.");
            MemoryMarshal.AsBytes(vector.Span).CopyTo(rows.Span[(read * rowBytes)..]);
            keys.Span[read++] = key;
        }

        _read += read;
        return read;
    }

    public override async ValueTask DisposeAsync()
    {
        if (_enumerator is not null)
            await _enumerator.DisposeAsync().ConfigureAwait(false);
        await base.DisposeAsync().ConfigureAwait(false);
    }
}
