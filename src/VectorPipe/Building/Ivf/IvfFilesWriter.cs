using System.Runtime.InteropServices;
using Microsoft.Extensions.Logging;
using VectorPipe.Building.Clusters;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Shuffling;
using VectorPipe.Building.Writing;
using VectorPipe.Model;
using VectorPipe.Model.Open;
using VectorPipe.Quantization;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Generations;
using VectorPipe.Storage.Keys;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Building.Ivf;

/// <summary>
/// Writes the files of an index of lists: brings the vectors into the order of the lists by the shuffler, and writes list after list, each
/// from a page of its own.
/// </summary>
/// <remarks>On any failure the files that were created are left to the caller to delete; no manifest names them.</remarks>
internal sealed class IvfFilesWriter
{
    /// <summary>Bytes of rows that a flush group of the shuffle holds, unless memory is short.</summary>
    public const long ShuffleBytes = 64 << 20;

    /// <summary>
    /// Bytes of lists that are read together when they are written, unless memory is short; a list that is longer is read alone.
    /// </summary>
    public const long WindowBytes = 16 << 20;

    private readonly string _directory;
    private readonly ulong _indexId;
    private readonly uint _generation;
    private readonly IStorageIo _io;
    private readonly ILogger _logger;

    /// <param name="directory">The index directory; its lock is held.</param>
    /// <param name="indexId">Identity of the index.</param>
    /// <param name="generation">Generation to write.</param>
    /// <param name="io">Writes.</param>
    /// <param name="logger">Told which device reads the shuffled rows.</param>
    public IvfFilesWriter(string directory, ulong indexId, uint generation, IStorageIo io, ILogger logger)
    {
        _directory = directory;
        _indexId = indexId;
        _generation = generation;
        _io = io;
        _logger = logger;
    }

    /// <summary>The files of an index of lists, and the bytes that each takes at most.</summary>
    /// <param name="layout">Where things lie in a page of vectors.</param>
    /// <param name="shape">How it is divided; of its lists and pages the most that there may be.</param>
    /// <param name="count">Vectors.</param>
    /// <param name="codeBytes">Bytes of a code.</param>
    /// <param name="code">Kind of the codes.</param>
    /// <param name="keys">How the key directory is laid out.</param>
    public static (FileRole Role, long Bytes)[] Sizes(
        NodeLayout layout, IvfShape shape, long count, int codeBytes, CodeKind code, KeyDirectoryOptions keys) =>
    [
        (FileRole.Nodes, (shape.Pages + 1) * layout.PageSize),
        (FileRole.Keys, keys.MaxPageCount(count) * PageCodec.PageUnit),
        (FileRole.Lists, PagedStreamWriter.PageCount(shape.StreamLength) * PageCodec.PageUnit),
        .. !shape.IsCoded ? [] : new (FileRole, long)[]
        {
            (FileRole.Codes, (IvfDivision.MaxPages(IvfShape.CodesPerPage(codeBytes), count, shape.Lists) + 1) * PageCodec.PageUnit),
            (
                FileRole.CodeBook,
                PagedStreamWriter.PageCount(QuantizerFormat.ByteLength(layout.Dimension, codeBytes, code)) * PageCodec.PageUnit),
        },
    ];

    /// <summary>Brings the vectors into the order of their lists, in scratch files.</summary>
    /// <param name="points">The vectors.</param>
    /// <param name="map">Their lists.</param>
    /// <param name="paging">Where the vectors are paged; null if they are in memory.</param>
    /// <param name="memoryBytes">Bytes for the rows of a flush group.</param>
    /// <param name="onRows">Told the rows done.</param>
    /// <param name="cancellationToken">Observed every thousand rows.</param>
    /// <returns>What was written; <see cref="Write"/> reads and deletes it.</returns>
    public ShuffledLayout Shuffle(
        PointTable points, LeafMap map, PagedMemory? paging, long memoryBytes, Action<long> onRows, CancellationToken cancellationToken)
    {
        uint[] listOf = new uint[points.Count];
        for (int list = 0; list < map.Count; list++)
        {
            for (int i = map.Offsets[list]; i < map.Offsets[list + 1]; i++)
                listOf[map.Points[i]] = (uint)list;
        }

        using var shuffler =
            new PartitionShuffler(new ShuffleOptions(points.RowBytes, map.Count, memoryBytes, points.Count), ScratchPaths, _io);
        using PageLease lease = PageLease.Rent(paging);
        int together = PagedMemory.RowsTogether(points.RowBytes);
        for (int first = 0; first < points.Count; first += together)
        {
            cancellationToken.ThrowIfCancellationRequested();
            int rows = Math.Min(together, points.Count - first);
            lease.Begin();
            points.Ask(lease, first, rows);
            lease.Fetch();
            shuffler.Add(points.Rows(first, rows), listOf.AsSpan(first, rows));
            points.Retire(lease, first, rows);
            onRows(first + rows);
        }

        return shuffler.Complete();
    }

    /// <summary>Writes vectors, codes and keys of shuffled rows, and the lists.</summary>
    /// <param name="schema">What the index holds; of lists.</param>
    /// <param name="directory">Where the lists lie.</param>
    /// <param name="graph">The centroids.</param>
    /// <param name="shuffled">What <see cref="Shuffle"/> has written.</param>
    /// <param name="quantizer">Makes the codes; null if there are none.</param>
    /// <param name="keyDirectory">How the key directory is laid out.</param>
    /// <param name="threads">Worker threads.</param>
    /// <param name="windowBytes">Bytes of lists that are read together; a list that is longer is read alone.</param>
    /// <param name="onRows">Told the rows written.</param>
    /// <param name="cancellationToken">Observed every list.</param>
    public (FileEntry[] Files, KeyDirectoryShape Keys) Write(
        IndexSchema schema,
        IvfDirectory directory,
        CentroidGraph graph,
        ShuffledLayout shuffled,
        Quantizer? quantizer,
        KeyDirectoryOptions keyDirectory,
        int threads,
        long windowBytes,
        Action<long> onRows,
        CancellationToken cancellationToken)
    {
        using var partitions = new ShuffledPartitions(shuffled, ScratchPaths, new DeviceOptions(), _io, _logger);
        var keys = new KeyDirectoryWriter((int)schema.Count, keyDirectory);
        using var vectors = new IvfVectorWriter(PathOf(FileRole.Nodes), schema.CreateLayout(), directory, _indexId, _generation, _io);
        using IvfCodeWriter? codes = quantizer is null
            ? null
            : new IvfCodeWriter(PathOf(FileRole.Codes), quantizer, threads, directory, _indexId, _generation, _io);
        long written = 0;
        for (int first = 0, end; first < directory.Count; first = end)
        {
            end = partitions.WindowEnd(first, windowBytes);
            using PointTable window = Read(schema, partitions, first, end);
            for (int list = first, row = 0; list < end; list++)
            {
                cancellationToken.ThrowIfCancellationRequested();
                int rows = directory.Rows(list);
                for (int i = 0; i < rows; i++)
                    keys.Add(window.Key(row + i), directory.FirstId(list) + (uint)i);
                vectors.Add(window, row, rows);
                codes?.Add(window, row, rows, cancellationToken);
                row += rows;
                written += rows;
                onRows(written);
            }
        }

        var indexFiles = new IndexFilesWriter(_directory, _indexId, _generation, _io);
        List<FileEntry> files = [vectors.Complete()];
        if (codes is not null)
            files.AddRange([codes.Complete(), indexFiles.WriteCodeBook(quantizer!)]);
        files.Add(WriteLists(schema.Lists!, directory, graph));
        (FileEntry keyFile, KeyDirectoryShape shape) = indexFiles.WriteKeys(keys, cancellationToken);
        return ([.. files, keyFile], shape);
    }

    private ShufflePaths ScratchPaths => ShufflePaths.OfBuild(_directory, _generation, "lists");

    private static unsafe PointTable Read(IndexSchema schema, ShuffledPartitions partitions, int first, int end)
    {
        int rows = checked((int)partitions.RowsOf(first, end));
        var window = new PointTable(schema.Metric, schema.ElementType, schema.Dimension, rows);
        try
        {
            fixed (byte* records = window.Records(0, rows))
                partitions.Read(first, end, records, (long)rows * window.RowBytes);
            return window;
        }
        catch
        {
            window.Dispose();
            throw;
        }
    }

    private FileEntry WriteLists(IvfShape shape, IvfDirectory directory, CentroidGraph graph)
    {
        using var writer = new PagedStreamWriter(PathOf(FileRole.Lists), FileRole.Lists, _indexId, _generation, shape.StreamLength, _io);
        writer.Write(graph.Centroids);
        writer.Write(graph.Links);
        for (int list = 0; list < directory.Count; list++)
        {
            uint rows = (uint)directory.Rows(list);
            writer.Write(MemoryMarshal.AsBytes(new ReadOnlySpan<uint>(in rows)));
        }

        writer.Complete();
        return writer.Entry;
    }

    private string PathOf(FileRole role) => Path.Combine(_directory, IndexDirectory.FileName(role, _generation));
}
