using VectorPipe.Formats;
using VectorPipe.Numerics;

namespace VectorPipe;

/// <summary>A vector file as a source; keys are row numbers.</summary>
internal sealed class FileVectorSource : VectorSource
{
    private readonly VectorFileReader _reader;
    private ulong _next;

    public FileVectorSource(VectorFileReader reader) => _reader = reader;

    public override VectorElementType ElementType => _reader.ElementType;

    public override int Dimension => _reader.Dimension;

    public override long Count => _reader.Count;

    public override async ValueTask<int> ReadAsync(Memory<byte> rows, Memory<ulong> keys, CancellationToken cancellationToken = default)
    {
        int read = await _reader.ReadAsync(rows, cancellationToken).ConfigureAwait(false);
        for (int i = 0; i < read; i++)
            keys.Span[i] = _next++;
        return read;
    }

    public override async ValueTask DisposeAsync()
    {
        await _reader.DisposeAsync().ConfigureAwait(false);
        await base.DisposeAsync().ConfigureAwait(false);
    }
}
