using System.Buffers;
using System.Runtime.InteropServices;
using VectorPipe.Formats;

namespace VectorPipe.Exporting;

/// <summary>
/// Writes a list of keys as an <c>.npy</c> file: a one-dimensional array of <c>&lt;u8</c>. The caller publishes the finished file.
/// </summary>
/// <remarks>Not thread-safe: one call at a time. Disposing before the file is published removes it.</remarks>
internal sealed class KeyFileWriter : IAsyncDisposable
{
    private readonly StagedFile _file;
    private readonly byte[] _head;

    /// <param name="path">The file to be.</param>
    /// <param name="count">Keys that will be written.</param>
    public KeyFileWriter(string path, long count)
    {
        _head = NpyHeader.EncodeKeys(count);
        _file = StagedFile.Create(path);
        _file.Pipe.Write(_head);
    }

    /// <summary>Appends keys.</summary>
    public ValueTask WriteAsync(ReadOnlySpan<ulong> keys, CancellationToken cancellationToken)
    {
        _file.Pipe.Write(MemoryMarshal.AsBytes(keys));
        return _file.FlushIfFullAsync(cancellationToken);
    }

    /// <summary>Forces the file to the medium. The caller publishes it before the writer is disposed.</summary>
    public async Task<StagedFile> FinishAsync(CancellationToken cancellationToken)
    {
        await _file.FinishAsync(_head, cancellationToken).ConfigureAwait(false);
        return _file;
    }

    /// <summary>Closes the file; if it was not published, removes it.</summary>
    public ValueTask DisposeAsync() => _file.DisposeAsync();
}
