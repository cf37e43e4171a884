namespace VectorPipe.Tests.Crash;

/// <summary>A source that counts how often it is read.</summary>
internal sealed class CountingSource(VectorSource inner) : VectorSource
{
    public int Reads { get; private set; }

    public override VectorElementType ElementType => inner.ElementType;

    public override int Dimension => inner.Dimension;

    public override long Count => inner.Count;

    public override ValueTask<int> ReadAsync(Memory<byte> rows, Memory<ulong> keys, CancellationToken cancellationToken = default)
    {
        Reads++;
        return inner.ReadAsync(rows, keys, cancellationToken);
    }
}
