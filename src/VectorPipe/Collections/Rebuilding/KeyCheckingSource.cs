namespace VectorPipe.Collections.Rebuilding;

/// <summary>A source whose keys are checked on the way.</summary>
/// <param name="inner">The source; its owner disposes it.</param>
/// <param name="check">Throws if a key, of a row, is refused.</param>
internal sealed class KeyCheckingSource(VectorSource inner, Action<ulong, long> check) : VectorSource
{
    private long _rows;

    public override VectorElementType ElementType => inner.ElementType;

    public override int Dimension => inner.Dimension;

    public override long Count => inner.Count;

    public override async ValueTask<int> ReadAsync(Memory<byte> rows, Memory<ulong> keys, CancellationToken cancellationToken = default)
    {
        int read = await inner.ReadAsync(rows, keys, cancellationToken).ConfigureAwait(false);
        for (int row = 0; row < read; row++)
            check(keys.Span[row], _rows + row);
        _rows += read;
        return read;
    }
}
