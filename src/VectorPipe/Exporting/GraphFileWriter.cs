using System.Buffers;
using System.Buffers.Binary;
using System.Runtime.InteropServices;
using VectorPipe.Formats;

namespace VectorPipe.Exporting;

/// <summary>Writes a graph in DiskANN's format of graphs in memory. The caller publishes the finished file.</summary>
/// <remarks>
/// The remarks of <see cref="Formats.IndexExporter"/> state the format. Not thread-safe: one call at a time. Disposal before publication
/// removes the file.
/// </remarks>
internal sealed class GraphFileWriter : IAsyncDisposable
{
    private const int HeaderBytes = 24;

    private readonly StagedFile _file;
    private readonly uint _entry;
    private long _length = HeaderBytes;
    private int _maxDegree;

    public GraphFileWriter(string path, uint entry)
    {
        _file = StagedFile.Create(path);
        _entry = entry;
        // A placeholder: the end writes length and degree.
        _file.Pipe.Write(new byte[HeaderBytes]);
    }

    /// <summary>Appends the neighbours of the next node; call <see cref="FlushAsync"/> from time to time.</summary>
    public void Append(ReadOnlySpan<uint> links)
    {
        Span<byte> node = _file.Pipe.GetSpan(4 + (4 * links.Length));
        BinaryPrimitives.WriteUInt32LittleEndian(node, (uint)links.Length);
        MemoryMarshal.AsBytes(links).CopyTo(node[4..]);
        _file.Pipe.Advance(4 + (4 * links.Length));
        _length += 4 + (4L * links.Length);
        _maxDegree = Math.Max(_maxDegree, links.Length);
    }

    /// <summary>Writes the appended links, if they are worth a write.</summary>
    public ValueTask FlushAsync(CancellationToken cancellationToken) => _file.FlushIfFullAsync(cancellationToken);

    /// <summary>Writes the header and forces the file to the medium. The caller publishes it before it disposes the writer.</summary>
    public async Task<StagedFile> FinishAsync(CancellationToken cancellationToken)
    {
        byte[] head = new byte[HeaderBytes];
        BinaryPrimitives.WriteInt64LittleEndian(head, _length);
        BinaryPrimitives.WriteInt32LittleEndian(head.AsSpan(8), _maxDegree);
        BinaryPrimitives.WriteUInt32LittleEndian(head.AsSpan(12), _entry);
        await _file.FinishAsync(head, cancellationToken).ConfigureAwait(false);
        return _file;
    }

    /// <summary>Closes the file, and removes it unless it was published.</summary>
    public ValueTask DisposeAsync() => _file.DisposeAsync();
}
