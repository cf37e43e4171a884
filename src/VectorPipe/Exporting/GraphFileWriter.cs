using System.Buffers;
using System.Buffers.Binary;
using System.Runtime.InteropServices;
using VectorPipe.Formats;

namespace VectorPipe.Exporting;

/// <summary>Writes a graph in the format in which DiskANN keeps graphs in memory. The caller publishes the finished file.</summary>
/// <remarks>
/// <code>
/// offset size
///      0    8  bytes of the file
///      8    4  largest degree of a node
///     12    4  node at which a search enters
///     16    8  frozen points: 0
///     24       for each node: its degree d (4), the numbers of its d neighbours (4 each)
/// </code>
/// Not thread-safe: one call at a time. Disposing before the file is published removes it.
/// </remarks>
internal sealed class GraphFileWriter : IAsyncDisposable
{
    private const int HeaderBytes = 24;

    private readonly StagedFile _file;
    private readonly uint _entry;
    private long _length = HeaderBytes;
    private int _maxDegree;

    /// <param name="path">The file to be.</param>
    /// <param name="entry">The node at which a search enters.</param>
    public GraphFileWriter(string path, uint entry)
    {
        _file = StagedFile.Create(path);
        _entry = entry;
        // A placeholder: length and degree are known, and written, at the end.
        _file.Pipe.Write(new byte[HeaderBytes]);
    }

    /// <summary>Appends the neighbours of the next node; <see cref="FlushAsync"/> is due now and then.</summary>
    public void Append(ReadOnlySpan<uint> links)
    {
        Span<byte> node = _file.Pipe.GetSpan(4 + (4 * links.Length));
        BinaryPrimitives.WriteUInt32LittleEndian(node, (uint)links.Length);
        MemoryMarshal.AsBytes(links).CopyTo(node[4..]);
        _file.Pipe.Advance(4 + (4 * links.Length));
        _length += 4 + (4L * links.Length);
        _maxDegree = Math.Max(_maxDegree, links.Length);
    }

    /// <summary>Writes what was appended, if it is worth a write.</summary>
    public ValueTask FlushAsync(CancellationToken cancellationToken) => _file.FlushIfFullAsync(cancellationToken);

    /// <summary>Writes the header and forces the file to the medium. The caller publishes it before the writer is disposed.</summary>
    public async Task<StagedFile> FinishAsync(CancellationToken cancellationToken)
    {
        byte[] head = new byte[HeaderBytes];
        BinaryPrimitives.WriteInt64LittleEndian(head, _length);
        BinaryPrimitives.WriteInt32LittleEndian(head.AsSpan(8), _maxDegree);
        BinaryPrimitives.WriteUInt32LittleEndian(head.AsSpan(12), _entry);
        await _file.FinishAsync(head, cancellationToken).ConfigureAwait(false);
        return _file;
    }

    /// <summary>Closes the file; if it was not published, removes it.</summary>
    public ValueTask DisposeAsync() => _file.DisposeAsync();
}
