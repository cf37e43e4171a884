using System.Runtime.InteropServices;
using VectorPipe.Formats;

namespace VectorPipe.Sources;

/// <summary>A vector file as a source; keys come from a key file, or are row numbers.</summary>
/// <param name="reader">The vectors; owned from here on.</param>
/// <param name="keys">As many keys; owned from here on. Null for row numbers.</param>
internal sealed class FileVectorSource(VectorFileReader reader, KeyFileReader? keys = null) : VectorSource
{
    private readonly VectorFileReader _reader = reader;
    private readonly KeyFileReader? _keys = keys;
    private byte[] _keyBytes = [];
    private ulong _next;

    public override VectorElementType ElementType => _reader.ElementType;

    public override int Dimension => _reader.Dimension;

    public override long Count => _reader.Count;

    public override async ValueTask<int> ReadAsync(Memory<byte> rows, Memory<ulong> keys, CancellationToken cancellationToken = default)
    {
        int read = await _reader.ReadAsync(rows, cancellationToken).ConfigureAwait(false);
        if (_keys is not null)
        {
            await ReadKeysAsync(_keys, keys[..read], cancellationToken).ConfigureAwait(false);
            return read;
        }

        for (int i = 0; i < read; i++)
            keys.Span[i] = _next++;
        return read;
    }

    public override async ValueTask DisposeAsync()
    {
        await _reader.DisposeAsync().ConfigureAwait(false);
        if (_keys is not null)
            await _keys.DisposeAsync().ConfigureAwait(false);
        await base.DisposeAsync().ConfigureAwait(false);
    }

    private async ValueTask ReadKeysAsync(KeyFileReader reader, Memory<ulong> keys, CancellationToken cancellationToken)
    {
        if (_keyBytes.Length < keys.Length * sizeof(ulong))
            _keyBytes = new byte[keys.Length * sizeof(ulong)];
        Memory<byte> wanted = _keyBytes.AsMemory(0, keys.Length * sizeof(ulong));
        int filled = 0;
        while (filled < keys.Length)
            filled += await reader.ReadAsync(wanted[(filled * sizeof(ulong))..], cancellationToken).ConfigureAwait(false);
        MemoryMarshal.Cast<byte, ulong>(wanted.Span).CopyTo(keys.Span);
    }
}
