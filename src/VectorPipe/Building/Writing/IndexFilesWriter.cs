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
/// <remarks>After a failure the caller deletes the created files; no manifest names them.</remarks>
internal sealed class IndexFilesWriter(string directory, ulong indexId, uint generation, IStorageIo io)
{
    /// <summary>Nodes written together: enough for many reads of a paged graph at a time, few enough for memory.</summary>
    public const int BatchRows = 512;

    private readonly string _directory = directory;
    private readonly uint _generation = generation;
    private readonly IStorageIo _io = io;

    /// <summary>
    /// The files of a graph index, in the order of the manifest, and the most bytes of each. Without a merged layout pages are plain.
    /// </summary>
    public static (FileRole Role, long Bytes)[] Sizes(
        NodeLayout layout, MergedPageLayout? merged, OriginalVectorLayout? originals, long count, int codeBytes, KeyDirectoryOptions keys,
        CodeKind code = CodeKind.Pq)
    {
        var files = new List<(FileRole, long)>
        {
            (FileRole.Nodes, NodeFileWriter.PageCount(layout, count) * layout.PageSize),
            (FileRole.Codes, StreamBytes((merged?.IdCount(count) ?? count) * codeBytes)),
            (FileRole.Keys, keys.MaxPageCount(count) * PageCodec.PageUnit),
        };
        if (merged is not null)
            files.Add((FileRole.PageGraph, StreamBytes(merged.StreamLength(layout.PageCount(count)))));
        if (originals is not null)
            files.Add((FileRole.Vectors, originals.PageCount(count) * originals.PageSize));
        files.Add((FileRole.CodeBook, StreamBytes(QuantizerFormat.ByteLength(layout.Dimension, codeBytes, code))));
        return [.. files];
    }

    /// <summary>Bytes of a file of a stream of so many bytes.</summary>
    public static long StreamBytes(long length) => PagedStreamWriter.PageCount(length) * PageCodec.PageUnit;

    /// <summary>Inverts the order of nodes: from row to position.</summary>
    public static int[] PositionsOf(int[] order)
    {
        int[] positionOf = new int[order.Length];
        for (int position = 0; position < order.Length; position++)
            positionOf[order[position]] = position;
        return positionOf;
    }

    /// <summary>
    /// Creates the files of a generation, empty, with all the room that they may take: a full disk is noticed before the work begins.
    /// </summary>
    /// <exception cref="IndexWriteException">The disk has no room, or a file cannot be created.</exception>
    public static void Reserve(string directory, uint generation, IEnumerable<(FileRole Role, long Bytes)> files, IStorageIo io)
    {
        foreach ((FileRole role, long bytes) in files)
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
    /// Checks that the disk has room for scratch files beside the reserved files. The room is not kept, since scratch files come and go.
    /// </summary>
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
                $"Scratch files in {directory} take up to {bytes:N0} bytes, and the disk has no room for them: {e.Message}", e);
        }
    }

    /// <summary>Deletes a reserved file that will not be written.</summary>
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

    /// <summary>Begins the node file; nodes come in the order of their internal ids.</summary>
    public NodeFileWriter BeginNodes(NodeLayout layout, long count) =>
        new(PathOf(FileRole.Nodes), layout, count, indexId, _generation, _io);

    /// <summary>Begins the file of original vectors, which come in the same order.</summary>
    public OriginalVectorWriter BeginVectors(OriginalVectorLayout layout, long count) =>
        new(PathOf(FileRole.Vectors), layout, count, indexId, _generation, _io);

    /// <summary>Begins the code file of <paramref name="length"/> bytes; codes come in the same order.</summary>
    public PagedStreamWriter BeginCodes(long length) => new(PathOf(FileRole.Codes), FileRole.Codes, indexId, _generation, length, _io);

    /// <summary>Begins the page graph: entry points, a block per page, and padding.</summary>
    public PagedStreamWriter BeginPageGraph(MergedPageLayout shape, long pages) =>
        new(PathOf(FileRole.PageGraph), FileRole.PageGraph, indexId, _generation, shape.StreamLength(pages), _io);

    public FileEntry WriteCodeBook(Quantizer quantizer)
    {
        byte[] bytes = QuantizerFormat.ToBytes(quantizer);
        using var writer = new PagedStreamWriter(PathOf(FileRole.CodeBook), FileRole.CodeBook, indexId, _generation, bytes.Length, _io);
        writer.Write(bytes);
        writer.Complete();
        return writer.Entry;
    }

    public (FileEntry File, KeyDirectoryShape Shape) WriteKeys(KeyDirectoryWriter<uint> keys, CancellationToken cancellationToken) =>
        keys.Write(PathOf(FileRole.Keys), FileRole.Keys, indexId, _generation, _io, cancellationToken);

    private string PathOf(FileRole role) => Path.Combine(_directory, IndexDirectory.FileName(role, _generation));
}
