using System.Buffers;
using System.Runtime.InteropServices;

namespace VectorPipe.Formats;

/// <summary>Writes a list of keys as an <c>.npy</c> file: a one-dimensional array of <c>&lt;u8</c>. The file takes its name when it is complete.</summary>
/// <remarks>Not thread-safe: one call at a time. Disposing without completing removes what was written.</remarks>
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

    /// <summary>Forces the file to the medium and gives it its name, replacing a file that bears it.</summary>
    public Task CompleteAsync(CancellationToken cancellationToken) => _file.CommitAsync(_head, cancellationToken);

    /// <summary>Closes the file; if it was not completed, removes it.</summary>
    public ValueTask DisposeAsync() => _file.DisposeAsync();
}
