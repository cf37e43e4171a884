using System.Buffers;
using System.Runtime.InteropServices;
using VectorPipe.Formats;

namespace VectorPipe.Exporting;

/// <summary>Writes keys as an <c>.npy</c> file: a one-dimensional array of <c>&lt;u8</c>. The caller publishes the finished file.</summary>
/// <remarks>Not thread-safe: one call at a time. Disposal before publication removes the file.</remarks>
internal sealed class KeyFileWriter : IAsyncDisposable
{
    private readonly StagedFile _file;
    private readonly byte[] _head;

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

    /// <summary>Forces the file to the medium. The caller publishes it before it disposes the writer.</summary>
    public async Task<StagedFile> FinishAsync(CancellationToken cancellationToken)
    {
        await _file.FinishAsync(_head, cancellationToken).ConfigureAwait(false);
        return _file;
    }

    /// <summary>Closes the file, and removes it unless it was published.</summary>
    public ValueTask DisposeAsync() => _file.DisposeAsync();
}
