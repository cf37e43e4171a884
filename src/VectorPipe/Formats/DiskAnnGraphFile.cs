using VectorPipe.Numerics;

namespace VectorPipe.Formats;

/// <summary>Reads the nodes of a DiskANN disk index from first to last, holding about a megabyte of it.</summary>
/// <remarks>Not thread-safe: one read at a time.</remarks>
internal sealed class DiskAnnGraphReader : IAsyncDisposable
{
    private const int BufferTarget = 1 << 20;

    // Enough nodes to tell types apart: a wrong type takes pieces of vectors for counts.
    private const int DetectionUnits = 16;

    private readonly SourceFile _file;
    private readonly RowPump _pump;
    private readonly byte[] _buffer;
    private long _first;
    private int _count;

    private DiskAnnGraphReader(SourceFile file, DiskAnnHeader header, DiskAnnNodeFormat format)
    {
        _file = file;
        Header = header;
        Format = format;
        _pump = new RowPump(file.Pipe, file.Path, header.Units);
        _buffer = new byte[Math.Max(1, Math.Min(BufferTarget / header.UnitBytes, header.Units.Count)) * header.UnitBytes];
    }

    /// <summary>Path of the file, for errors.</summary>
    public string Path => _file.Path;

    /// <summary>What the file holds.</summary>
    public DiskAnnHeader Header { get; }

    /// <summary>Where things lie in a node.</summary>
    public DiskAnnNodeFormat Format { get; }

    /// <summary>Id of the first of the nodes that were read last.</summary>
    public long First => _first;

    /// <summary>Opens a file and checks its header against its length.</summary>
    /// <param name="path">The file.</param>
    /// <param name="elementType">Type of a component; null to find it out.</param>
    /// <param name="cancellationToken">Cancels opening.</param>
    /// <exception cref="VectorFormatException">The file is not a disk index that can be read, or not one of such components.</exception>
    public static async Task<DiskAnnGraphReader> OpenAsync(string path, VectorElementType? elementType, CancellationToken cancellationToken)
    {
        SourceFile file = SourceFile.Open(path);
        try
        {
            byte[] head = await file.PeekAsync(DiskAnnHeader.Bytes, cancellationToken).ConfigureAwait(false);
            DiskAnnHeader header = DiskAnnHeader.Parse(head, path, file.Length);
            await file.SkipAsync(header.BlockBytes, cancellationToken).ConfigureAwait(false);
            DiskAnnNodeFormat format;
            if (elementType is { } stated)
            {
                format = DiskAnnNodeFormat.Create(header, stated, path);
            }
            else
            {
                byte[] units = await file.PeekAsync((int)Math.Min(DetectionUnits, header.Units.Count) * header.UnitBytes, cancellationToken).ConfigureAwait(false);
                format = DiskAnnNodeFormat.Detect(header, units, path);
            }

            return new DiskAnnGraphReader(file, header, format);
        }
        catch
        {
            await file.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Reads the next nodes.</summary>
    /// <returns>How many; 0 at the end of the file.</returns>
    /// <exception cref="VectorFormatException">The file was cut short meanwhile.</exception>
    public async ValueTask<int> ReadAsync(CancellationToken cancellationToken)
    {
        int units = await _pump.ReadAsync(_buffer, cancellationToken).ConfigureAwait(false);
        _first += _count;
        _count = (int)Math.Min((long)units * Header.NodesPerUnit, Header.Count - _first);
        return _count;
    }

    /// <summary>The bytes of one of the nodes that were read last; valid until the next read.</summary>
    /// <param name="index">0 to the number of nodes read.</param>
    public ReadOnlySpan<byte> Node(int index) =>
        _buffer.AsSpan(index / Header.NodesPerUnit * Header.UnitBytes + index % Header.NodesPerUnit * Header.NodeBytes, Header.NodeBytes);

    /// <summary>Bytes from the start of the file to one of the nodes that were read last.</summary>
    public long Offset(int index)
    {
        long id = _first + index;
        return Header.BlockBytes + (id / Header.NodesPerUnit * Header.UnitBytes) + (id % Header.NodesPerUnit * Header.NodeBytes);
    }

    /// <summary>Closes the file.</summary>
    public ValueTask DisposeAsync() => _file.DisposeAsync();
}
