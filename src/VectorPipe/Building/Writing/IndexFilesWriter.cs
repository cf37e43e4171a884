using VectorPipe.Model;
using VectorPipe.Quantization;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Generations;
using VectorPipe.Storage.Keys;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;
using VectorPipe.Storage.Vectors;

namespace VectorPipe.Building.Writing;

/// <summary>Writes the files of a generation in page order.</summary>
/// <remarks>On any failure the files that were created are left to the caller to delete; no manifest names them.</remarks>
internal sealed class IndexFilesWriter
{
    /// <summary>Nodes that are written together.</summary>
    // Enough pages for reads of a paged graph to be many at a time, few enough to be held at once.
    public const int BatchRows = 512;

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

    /// <summary>The files of a generation, in the order of the manifest, and the bytes that each takes at most.</summary>
    /// <param name="layout">Where things lie in the node file.</param>
    /// <param name="merged">How pages are divided in the merged layout; else null.</param>
    /// <param name="given">The file of the vectors as they were given; null if there is none.</param>
    /// <param name="count">Nodes.</param>
    /// <param name="codeBytes">Bytes of a code.</param>
    /// <param name="keys">How the key directory is laid out: what it takes depends on how the keys are spread.</param>
    /// <param name="code">Kind of the codes.</param>
    public static (FileRole Role, long Bytes)[] Sizes(
        NodeLayout layout, MergedPageLayout? merged, OriginalVectorLayout? given, long count, int codeBytes, KeyDirectoryOptions keys,
        CodeKind code = CodeKind.Pq) =>
    [
        (FileRole.Nodes, NodeFileWriter.PageCount(layout, count) * layout.PageSize),
        (FileRole.Codes, PagedStreamWriter.PageCount(count * codeBytes) * PageCodec.PageUnit),
        (FileRole.Keys, keys.MaxPageCount(count) * PageCodec.PageUnit),
        .. merged is null
        ? []
        : new (FileRole, long)[] { (
            FileRole.PageGraph, PagedStreamWriter.PageCount(merged.StreamLength(layout.PageCount(count))) * PageCodec.PageUnit) },
        .. given is null ? [] : new (FileRole, long)[] { (FileRole.Vectors, given.PageCount(count) * given.PageSize) },
        (
            FileRole.CodeBook,
            PagedStreamWriter.PageCount(QuantizerFormat.ByteLength(layout.Dimension, codeBytes, code)) * PageCodec.PageUnit),
    ];

    /// <summary>Row to internal id.</summary>
    /// <param name="order">Internal id to row.</param>
    public static int[] IdsOf(int[] order)
    {
        int[] idOf = new int[order.Length];
        for (int id = 0; id < order.Length; id++)
            idOf[order[id]] = id;
        return idOf;
    }

    /// <summary>
    /// Creates the files of a generation, empty, with the room that they will take, so that a full disk is known before the work.
    /// </summary>
    /// <param name="directory">The index directory; its lock is held.</param>
    /// <param name="generation">Generation that will be written; if it is not, its files are deleted with it.</param>
    /// <param name="layout">Where things lie in the node file.</param>
    /// <param name="merged">How pages are divided in the merged layout; else null.</param>
    /// <param name="given">The file of the vectors as they were given; null if there is none.</param>
    /// <param name="count">Nodes.</param>
    /// <param name="codeBytes">Bytes of a code.</param>
    /// <param name="keys">How the key directory is laid out: it gets the most room that it may need, and keeps what it does.</param>
    /// <param name="io">Creates them.</param>
    /// <param name="code">Kind of the codes.</param>
    /// <exception cref="IndexWriteException">The disk has no room, or a file cannot be created.</exception>
    public static void Reserve(
        string directory, uint generation, NodeLayout layout, MergedPageLayout? merged, OriginalVectorLayout? given, long count,
        int codeBytes, KeyDirectoryOptions keys, IStorageIo io, CodeKind code = CodeKind.Pq)
    {
        Reserve(directory, generation, Sizes(layout, merged, given, count, codeBytes, keys, code), io);
    }

    /// <summary>Creates files of a generation, empty, with the room that they will take.</summary>
    /// <param name="directory">The index directory; its lock is held.</param>
    /// <param name="generation">Generation that will be written; if it is not, its files are deleted with it.</param>
    /// <param name="files">The files, and the most that each may take.</param>
    /// <param name="io">Creates them.</param>
    /// <exception cref="IndexWriteException">The disk has no room, or a file cannot be created.</exception>
    public static void Reserve(string directory, uint generation, IEnumerable<(FileRole Role, long Bytes)> files, IStorageIo io)
    {
        foreach ((FileRole role, long bytes) in files)
            Create(role, bytes);

        void Create(FileRole role, long bytes)
        {
            string path = Path.Combine(directory, IndexDirectory.FileName(role, generation));
            try
            {
                io.Create(path, isReserved: false, reservedBytes: bytes, isDirect: false).Dispose();
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                throw new IndexWriteException($"Reserving {bytes:N0} bytes for {path} failed: {e.Message}", e);
            }
        }
    }

    /// <summary>
    /// Makes sure that the disk has room for scratch files beside what was reserved, so that a full disk is known before the work. The room
    /// is not kept: scratch files come and go.
    /// </summary>
    /// <param name="directory">The index directory; its lock is held.</param>
    /// <param name="generation">Generation that will be written.</param>
    /// <param name="bytes">Bytes of scratch files at a time, at most; 0 for none.</param>
    /// <param name="io">Creates and deletes.</param>
    /// <exception cref="IndexWriteException">The disk has no room.</exception>
    public static void RequireScratchRoom(string directory, uint generation, long bytes, IStorageIo io)
    {
        if (bytes == 0)
            return;
        string path = Path.Combine(directory, IndexDirectory.ScratchName("room", generation));
        try
        {
            io.Create(path, isReserved: false, reservedBytes: bytes, isDirect: false).Dispose();
            io.Delete(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new IndexWriteException(
                $"Scratch files in {directory} take up to {bytes:N0} bytes, and room for them beside the index cannot be had: {e.Message}",
                e);
        }
    }

    /// <summary>Deletes a file that was reserved and will not be written.</summary>
    /// <exception cref="IndexWriteException">It cannot be deleted.</exception>
    public static void Release(string directory, uint generation, FileRole role, IStorageIo io)
    {
        string path = Path.Combine(directory, IndexDirectory.FileName(role, generation));
        try
        {
            io.Delete(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new IndexWriteException($"Deleting {path} failed: {e.Message}", e);
        }
    }

    /// <summary>Begins the node file of nodes that come one after another.</summary>
    public NodeFileWriter BeginNodes(NodeLayout layout, long count) =>
        new(PathOf(FileRole.Nodes), layout, count, _indexId, _generation, _io);

    /// <summary>Begins the file of the vectors as they were given, which come one after another.</summary>
    public OriginalVectorWriter BeginVectors(OriginalVectorLayout layout, long count) =>
        new(PathOf(FileRole.Vectors), layout, count, _indexId, _generation, _io);

    /// <summary>
    /// Begins the code file of <paramref name="length"/> bytes of codes, which come in the order of their nodes' internal ids.
    /// </summary>
    public PagedStreamWriter BeginCodes(long length) => new(PathOf(FileRole.Codes), FileRole.Codes, _indexId, _generation, length, _io);

    /// <summary>Begins the file of the page graph: entry points, a block a page, and padding.</summary>
    public PagedStreamWriter BeginPageGraph(MergedPageLayout shape, long pages) =>
        new(PathOf(FileRole.PageGraph), FileRole.PageGraph, _indexId, _generation, shape.StreamLength(pages), _io);

    /// <summary>Writes the code book.</summary>
    public FileEntry WriteCodeBook(Quantizer quantizer)
    {
        byte[] bytes = QuantizerFormat.ToBytes(quantizer);
        using var writer = new PagedStreamWriter(PathOf(FileRole.CodeBook), FileRole.CodeBook, _indexId, _generation, bytes.Length, _io);
        writer.Write(bytes);
        writer.Complete();
        return writer.Entry;
    }

    /// <summary>Writes the key directory of keys that were added one by one.</summary>
    public (FileEntry File, KeyDirectoryShape Shape) WriteKeys(KeyDirectoryWriter keys, CancellationToken cancellationToken) =>
        keys.Write(PathOf(FileRole.Keys), _indexId, _generation, _io, cancellationToken);

    private string PathOf(FileRole role) => Path.Combine(_directory, IndexDirectory.FileName(role, _generation));
}
