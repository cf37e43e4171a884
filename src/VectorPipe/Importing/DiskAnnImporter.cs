using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using VectorPipe.Building.Phases;
using VectorPipe.Building.Writing;
using VectorPipe.Devices.Choosing;
using VectorPipe.Diagnostics;
using VectorPipe.Importing;
using VectorPipe.Model.Errors;
using VectorPipe.Numerics.Conversion;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Generations;
using VectorPipe.Storage.Keys;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Formats;

/// <summary>Converts an index of DiskANN into an index directory: vectors, graph, codes and quantizer stay the same bit for bit.</summary>
/// <remarks>
/// <para>Reads the files of the C++ program (also its early versions), of the Rust program and of PipeANN: <c>PREFIX_disk.index</c>,
/// <c>PREFIX_pq_compressed.bin</c>, <c>PREFIX_pq_pivots.bin</c>. The import keeps the order of the nodes and of their links, so internal
/// ids and keys are DiskANN's ids (row numbers of the vectors), and a search enters at DiskANN's medoid.</para>
/// <para>The import reads the files twice, front to back: for the identities of the index, which depend on all their bytes, and for the
/// conversion. Memory: 12 bytes per vector for the key directory, the quantizer (about 3 KB per dimension), and a few megabytes of
/// buffers. A directory has one writer at a time; the new index replaces an old one in one step, as in a build.</para>
/// </remarks>
public sealed class DiskAnnImporter
{
    // Above the rounding of float16 components, and far below a difference that would change an order of codes.
    private const double UnitTolerance = 0.01;

    private readonly string _directory;
    private readonly IStorageIo _io;
    private readonly DeviceOpener? _openDevice;
    private readonly ILogger _logger;
    private readonly GenerationWriter _generations;

    /// <summary>Prepares an import.</summary>
    /// <param name="directory">The index directory; created if it does not exist.</param>
    /// <param name="loggerFactory">Receives log messages; null for none.</param>
    public DiskAnnImporter(string directory, ILoggerFactory? loggerFactory = null)
        : this(directory, loggerFactory, FileStorageIo.Instance)
    {
    }

    /// <summary>Prepares an import that writes through <paramref name="io"/> and reads through <paramref name="openDevice"/>.</summary>
    internal DiskAnnImporter(string directory, ILoggerFactory? loggerFactory, IStorageIo io, DeviceOpener? openDevice = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(directory);
        _directory = directory;
        _openDevice = openDevice;
        _logger = (loggerFactory ?? NullLoggerFactory.Instance).CreateLogger<DiskAnnImporter>();
        _generations = new GenerationWriter(directory, io, _logger);
        _io = _generations.Io;
    }

    /// <summary>Checks the files, converts them, and publishes the index.</summary>
    /// <param name="prefix">Folder and beginning of the names of DiskANN's files.</param>
    /// <param name="metric">The metric of the index. The files do not state it, and a wrong one gives wrong neighbours.</param>
    /// <param name="elementType">Type of a component; null to detect it, which works for float32 and float16: uint8 and int8 look
    /// alike.</param>
    /// <param name="progress">Receives the phase (identify, nodes, codes) and its share done; may be null.</param>
    /// <param name="cancellationToken">Cancels the import.</param>
    /// <returns>A report whose <see cref="BuildReport.Notes"/> name the program that wrote the files and the parts that were left
    /// out.</returns>
    /// <exception cref="VectorFormatException">A file is malformed, contradicts another, or has unsupported content; nothing was
    /// published.</exception>
    /// <exception cref="InvalidVectorException">A vector is not finite, or not of unit length under the cosine metric; its row is its
    /// id.</exception>
    /// <exception cref="FileNotFoundException">A file is missing.</exception>
    /// <exception cref="DeviceException">A file cannot be read to its end.</exception>
    /// <exception cref="IndexWriteException">The directory cannot be written to, another writer holds it, or the disk is full.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The metric or the element type is unknown.</exception>
    public Task<BuildReport> ImportAsync(
        string prefix, DistanceMetric metric = DistanceMetric.L2, VectorElementType? elementType = null,
        IProgress<BuildProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(prefix);
        Require.That(Enum.IsDefined(metric), nameof(metric), metric, "L2, InnerProduct or Cosine");
        Require.That(
            elementType is not { } type || Enum.IsDefined(type), nameof(elementType), elementType, "Float32, Float16, UInt8 or Int8");
        return Task.Run(
            async () =>
            {
                var timer = new PhaseTimer(_logger);
                DiskAnnSource source = await DiskAnnSource.CheckAsync(prefix, metric, elementType, cancellationToken).ConfigureAwait(false);
                timer.End("check");

                // The readers are bound to this thread: the import stays on it.
                return await _generations.WriteAsync(generation =>
                    Task.FromResult(Import(source, metric, generation, timer, progress, cancellationToken))).ConfigureAwait(false);
            },
            cancellationToken);
    }

    private BuildReport Import(
        DiskAnnSource source, DistanceMetric metric, uint generation, PhaseTimer timer, IProgress<BuildProgress>? progress,
        CancellationToken cancellationToken)
    {
        DiskAnnHeader header = source.Graph.Header;
        DiskAnnNodeFormat format = source.Graph.Format;
        var layout = NodeLayout.Plain(format.ElementType, header.Dimension, Math.Max(1, format.MaxDegree));
        (FileRole, long)[] files = IndexFilesWriter.Sizes(
            layout, merged: null, originals: null, header.Count, source.Quantizer.CodeBytes, KeyDirectoryOptions.Default);
        IndexFilesWriter.Reserve(_directory, generation, files, _io);
        ulong indexId = FileIds.OfIndex(source.Hash(metric, _openDevice, progress, cancellationToken), generation);
        timer.End("identify");
        var writer = new IndexFilesWriter(_directory, indexId, generation, _io);

        // First the part whose memory grows with the number of nodes, so that a lack of memory is detected before the work.
        (FileEntry keys, KeyDirectoryShape keyShape) = WriteKeys(header.Count, writer, cancellationToken);
        timer.End("keys");
        (FileEntry nodes, long links) = WriteNodes(source.Graph, metric, writer, layout, progress, cancellationToken);
        timer.End("nodes");
        FileEntry codes = WriteCodes(source, writer, progress, cancellationToken);
        timer.End("codes");
        double meanDegree = (double)links / header.Count;
        long bytes = _generations.Publish(new Manifest(indexId, generation, new IndexSchema
        {
            Metric = metric,
            ElementType = format.ElementType,
            Dimension = header.Dimension,
            Count = header.Count,
            MaxDegree = layout.MaxListLength,
            CodeBytes = source.Quantizer.CodeBytes,
            EntryPoint = header.Medoid,
            BuildListSize = 0,
            Alpha = 0,
            Seed = 0,
            MeanDegree = (float)meanDegree,
        }, keyShape, [nodes, codes, writer.WriteCodeBook(source.Quantizer), keys]));
        timer.End("publish");
        BuildLog.ImportedFrom(_logger, source.Writer);
        foreach (string omission in source.Omissions)
            BuildLog.ImportOmission(_logger, omission);
        return new BuildReport
        {
            Points = header.Count,
            Dimension = header.Dimension,
            MeanDegree = meanDegree,
            Reachable = 0,
            Repaired = 0,
            FoundThemselves = 1,
            IndexBytes = bytes,
            ScratchBytesRead = 0,
            ScratchBytesWritten = 0,
            WallSeconds = timer.WallSeconds,
            CpuSeconds = timer.CpuSeconds,
            Phases = timer.Phases,
            Notes = [source.Writer, .. source.Omissions],
        };
    }

    private static (FileEntry File, KeyDirectoryShape Shape) WriteKeys(
        long count, IndexFilesWriter writer, CancellationToken cancellationToken)
    {
        var keys = new KeyDirectoryWriter<uint>((int)count, KeyDirectoryOptions.Default);
        for (uint id = 0; id < count; id++)
            keys.Add(id, id);
        return writer.WriteKeys(keys, cancellationToken);
    }

    private (FileEntry File, long Links) WriteNodes(
        DiskAnnGraphFile graph, DistanceMetric metric, IndexFilesWriter writer, NodeLayout layout, IProgress<BuildProgress>? progress,
        CancellationToken cancellationToken)
    {
        using var nodes = new DiskAnnNodes(graph, _openDevice);
        using NodeFileWriter file = writer.BeginNodes(layout, graph.Header.Count);
        uint[] links = new uint[layout.MaxListLength];
        long total = 0;
        while (nodes.Read(cancellationToken) is var count and > 0)
        {
            for (int i = 0; i < count; i++)
            {
                ReadOnlySpan<byte> node = nodes.Node(i);
                ReadOnlySpan<byte> vector = graph.Format.Vector(node);
                if (FindDefect(metric, graph.Format.ElementType, vector) is { } defect)
                    throw new InvalidVectorException(nodes.First + i, $"{graph.Path}: {defect}.");
                int degree = graph.Format.CopyLinks(node, links, graph.Path, nodes.Offset(i));
                file.Add((ulong)(nodes.First + i), vector, links.AsSpan(0, degree));
                total += degree;
            }

            progress?.Report(new BuildProgress("nodes", nodes.First + count, graph.Header.Count));
        }

        return (file.Complete(), total);
    }

    private static string? FindDefect(DistanceMetric metric, VectorElementType type, ReadOnlySpan<byte> vector)
    {
        if (VectorConversion.FindDefect(metric, type, vector) is { } defect)
            return defect;
        if (metric != DistanceMetric.Cosine)
            return null;
        double norm = VectorConversion.SquaredNorm(type, vector);
        return Math.Abs(norm - 1) <= UnitTolerance
            ? null
            : $"expected a vector of unit length for the cosine metric, found a squared length of {norm:G4}";
    }

    private FileEntry WriteCodes(
        DiskAnnSource source, IndexFilesWriter writer, IProgress<BuildProgress>? progress, CancellationToken cancellationToken)
    {
        RowLayout rows = source.Codes.Rows;
        using var codes = new DiskAnnRows(source.Codes.Path, rows, _openDevice);
        using PagedStreamWriter file = writer.BeginCodes(rows.Count * rows.RowBytes);
        while (codes.Read(cancellationToken) is var count and > 0)
        {
            if (source.CodeLimit < 256 && codes.Bytes.IndexOfAnyInRange((byte)source.CodeLimit, byte.MaxValue) is var at and >= 0)
                throw new VectorFormatException(
                    source.Codes.Path, codes.Offset(codes.First) + at, $"a code byte below {source.CodeLimit}, the number of pivots",
                    $"{codes.Bytes[at]}");
            file.Write(codes.Bytes);
            progress?.Report(new BuildProgress("codes", codes.First + count, rows.Count));
        }

        file.Complete();
        return file.Entry;
    }
}
