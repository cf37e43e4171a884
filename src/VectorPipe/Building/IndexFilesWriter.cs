using VectorPipe.Devices;
using VectorPipe.Quantization;
using VectorPipe.Storage;

namespace VectorPipe.Building;

/// <summary>Writes the files of a generation in page order.</summary>
/// <remarks>On any failure the files that were created are left to the caller to delete; no manifest names them.</remarks>
internal sealed class IndexFilesWriter
{
    private readonly string _directory;
    private readonly ulong _indexId;
    private readonly uint _generation;
    private readonly IStorageIo _io;

    /// <param name="directory">The index directory; its lock is held.</param>
    /// <param name="indexId">Identity of the index.</param>
    /// <param name="generation">Generation to write.</param>
    /// <param name="io">Writes.</param>
    public IndexFilesWriter(string directory, ulong indexId, uint generation, IStorageIo io)
    {
        _directory = directory;
        _indexId = indexId;
        _generation = generation;
        _io = io;
    }

    /// <summary>Creates the files of a generation, empty, with the room that they will take, so that a full disk is known before the work.</summary>
    /// <param name="directory">The index directory; its lock is held.</param>
    /// <param name="generation">Generation that will be written; if it is not, its files are deleted with it.</param>
    /// <param name="layout">Where things lie in the node file.</param>
    /// <param name="count">Nodes.</param>
    /// <param name="codeBytes">Bytes of a code.</param>
    /// <param name="keys">How the key directory is laid out: it gets the most room that it may need, and keeps what it does.</param>
    /// <param name="io">Creates them.</param>
    /// <exception cref="IndexWriteException">The disk has no room, or a file cannot be created.</exception>
    public static void Reserve(string directory, uint generation, NodeLayout layout, long count, int codeBytes, KeyDirectoryOptions keys, IStorageIo io)
    {
        Create(FileRole.Nodes, NodeFileWriter.PageCount(layout, count) * layout.PageSize);
        Create(FileRole.Codes, PageStreamWriter.PageCount(count * codeBytes) * PageCodec.PageUnit);
        Create(FileRole.CodeBook, PageStreamWriter.PageCount(ProductQuantizerFormat.ByteLength(layout.Dimension, codeBytes)) * PageCodec.PageUnit);
        Create(FileRole.Keys, keys.MaxPageCount(count) * PageCodec.PageUnit);

        void Create(FileRole role, long bytes)
        {
            string path = Path.Combine(directory, IndexDirectory.FileName(role, generation));
            try
            {
                io.Create(path, overwrite: false, reservedBytes: bytes, isDirect: false).Dispose();
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                throw new IndexWriteException($"Reserving {bytes:N0} bytes for {path} failed: {e.Message}", e);
            }
        }
    }

    /// <summary>Writes the node file.</summary>
    /// <param name="layout">Where things lie.</param>
    /// <param name="vectors">Stored vectors by point, one after another.</param>
    /// <param name="keys">Keys by point.</param>
    /// <param name="graph">Links by point.</param>
    /// <param name="order">Position (internal id) to point.</param>
    /// <param name="onPage">Told the pages written.</param>
    /// <param name="cancellationToken">Observed at every page.</param>
    public FileEntry WriteNodes(NodeLayout layout, NativeBuffer vectors, ulong[] keys, Graph graph, int[] order, Action<long, long> onPage, CancellationToken cancellationToken)
    {
        int[] idOf = new int[order.Length];
        for (int id = 0; id < order.Length; id++)
            idOf[order[id]] = id;

        long pages = layout.PageCount(order.Length);
        using NodeFileWriter writer = BeginNodes(layout, order.Length);
        uint[] links = new uint[layout.MaxDegree];
        for (int id = 0; id < order.Length; id++)
        {
            (int page, int slot) = Math.DivRem(id, layout.NodesPerPage);
            if (slot == 0)
            {
                cancellationToken.ThrowIfCancellationRequested();
                if (page % 1024 == 0)
                    onPage(page, pages);
            }

            int point = order[id];
            ReadOnlySpan<int> neighbours = graph.Links(point);
            for (int i = 0; i < neighbours.Length; i++)
                links[i] = (uint)idOf[neighbours[i]];
            writer.Add(keys[point], vectors.Span((nuint)point * (nuint)layout.VectorBytes, layout.VectorBytes), links.AsSpan(0, neighbours.Length));
        }

        FileEntry entry = writer.Complete();
        onPage(pages, pages);
        return entry;
    }

    /// <summary>Begins the node file of nodes that come one after another.</summary>
    public NodeFileWriter BeginNodes(NodeLayout layout, long count) => new(PathOf(FileRole.Nodes), layout, count, _indexId, _generation, _io);

    /// <summary>Begins the code file of <paramref name="length"/> bytes of codes, which come in the order of their nodes' internal ids.</summary>
    public PageStreamWriter BeginCodes(long length) => new(PathOf(FileRole.Codes), FileRole.Codes, _indexId, _generation, length, _io);

    /// <summary>Writes the code file.</summary>
    /// <param name="codes">Codes by point, one after another.</param>
    /// <param name="codeBytes">Bytes of a code.</param>
    /// <param name="order">Position (internal id) to point.</param>
    /// <param name="cancellationToken">Observed now and then.</param>
    public FileEntry WriteCodes(NativeBuffer codes, int codeBytes, int[] order, CancellationToken cancellationToken)
    {
        using PageStreamWriter writer = BeginCodes((long)order.Length * codeBytes);
        for (int id = 0; id < order.Length; id++)
        {
            if (id % 65_536 == 0)
                cancellationToken.ThrowIfCancellationRequested();
            writer.Write(codes.Span((nuint)order[id] * (nuint)codeBytes, codeBytes));
        }

        writer.Complete();
        return writer.Entry;
    }

    /// <summary>Writes the code book.</summary>
    public FileEntry WriteCodeBook(ProductQuantizer quantizer)
    {
        byte[] bytes = new byte[quantizer.ByteLength()];
        quantizer.Write(bytes);
        using var writer = new PageStreamWriter(PathOf(FileRole.CodeBook), FileRole.CodeBook, _indexId, _generation, bytes.Length, _io);
        writer.Write(bytes);
        writer.Complete();
        return writer.Entry;
    }

    /// <summary>Writes the key directory.</summary>
    /// <param name="keys">Keys by point.</param>
    /// <param name="order">Position (internal id) to point.</param>
    /// <param name="options">How it is laid out.</param>
    /// <param name="cancellationToken">Observed now and then.</param>
    public (FileEntry File, KeyDirectoryShape Shape) WriteKeys(ulong[] keys, int[] order, KeyDirectoryOptions options, CancellationToken cancellationToken)
    {
        var writer = new KeyDirectoryWriter(order.Length, options);
        for (int id = 0; id < order.Length; id++)
            writer.Add(keys[order[id]], (uint)id);
        return WriteKeys(writer, cancellationToken);
    }

    /// <summary>Writes the key directory of keys that were added one by one.</summary>
    public (FileEntry File, KeyDirectoryShape Shape) WriteKeys(KeyDirectoryWriter keys, CancellationToken cancellationToken) =>
        keys.Write(PathOf(FileRole.Keys), _indexId, _generation, _io, cancellationToken);

    private string PathOf(FileRole role) => Path.Combine(_directory, IndexDirectory.FileName(role, _generation));
}
