using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using VectorPipe.Building;
using VectorPipe.Devices;
using VectorPipe.Diagnostics;
using VectorPipe.Formats;
using VectorPipe.Numerics;
using VectorPipe.Storage;

namespace VectorPipe;

/// <summary>Makes an index directory of an index that DiskANN built: vectors, graph, codes and quantizer are kept bit for bit.</summary>
/// <remarks>
/// <para>Reads what the C++ and the Rust programs write: <c>PREFIX_disk.index</c>, <c>PREFIX_pq_compressed.bin</c>, <c>PREFIX_pq_pivots.bin</c>. The order of the nodes and
/// of their links is kept, so internal ids and keys are DiskANN's ids, that is row numbers of the vectors; a search enters at DiskANN's medoid.</para>
/// <para>Files are read twice, front to back: first for the identities of the index, which follow from all their bytes, then to convert them. Memory: 12 bytes a vector while the key directory is laid out, the quantizer (some 3 KB a dimension), and a few
/// megabytes of buffers. A directory has one writer at a time; the new index takes the place of an old one in one step, as in a build.</para>
/// </remarks>
public sealed class DiskAnnImporter
{
    // What float16 components may be off, and far below what would change an order of codes.
    private const double UnitTolerance = 0.01;

    private readonly string _directory;
    private readonly DiskAnnImportOptions _options;
    private readonly IStorageIo _io;
    private readonly DeviceOpener? _openDevice;
    private readonly ILogger _logger;
    private readonly GenerationWriter _generations;

    /// <summary>Prepares an import.</summary>
    /// <param name="directory">The index directory; created if it does not exist.</param>
    /// <param name="options">What the files do not say of themselves; null for the defaults.</param>
    /// <param name="loggerFactory">Receives log messages; null for none.</param>
    public DiskAnnImporter(string directory, DiskAnnImportOptions? options = null, ILoggerFactory? loggerFactory = null)
        : this(directory, options, loggerFactory, FileStorageIo.Instance)
    {
    }

    /// <summary>Prepares an import that writes by way of <paramref name="io"/>, and reads by way of <paramref name="openDevice"/> if that is not null.</summary>
    internal DiskAnnImporter(string directory, DiskAnnImportOptions? options, ILoggerFactory? loggerFactory, IStorageIo io, DeviceOpener? openDevice = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(directory);
        _directory = directory;
        _options = options ?? new DiskAnnImportOptions();
        _io = io;
        _openDevice = openDevice;
        _logger = (loggerFactory ?? NullLoggerFactory.Instance).CreateLogger<DiskAnnImporter>();
        _generations = new GenerationWriter(directory, io, _logger);
    }

    /// <summary>Checks the files, converts them, and publishes the index.</summary>
    /// <param name="prefix">Folder and beginning of the names of DiskANN's files.</param>
    /// <param name="progress">Told the phase (identify, nodes, codes) and its share done; may be null.</param>
    /// <param name="cancellationToken">Cancels the import.</param>
    /// <exception cref="VectorFormatException">A file is malformed, contradicts another, or holds what cannot be kept; nothing has been published.</exception>
    /// <exception cref="InvalidVectorException">A vector is not finite, or not of unit length under the cosine metric; the row is its id.</exception>
    /// <exception cref="FileNotFoundException">A file is missing.</exception>
    /// <exception cref="DeviceException">A file cannot be read to its end.</exception>
    /// <exception cref="IndexWriteException">The directory cannot be written to, another writer holds it, or the disk is full.</exception>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public Task<DiskAnnImportReport> ImportAsync(string prefix, IProgress<BuildProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(prefix);
        _options.Validate();
        return Task.Run(
            async () =>
            {
                var timer = new PhaseTimer(_logger);
                DiskAnnSource source = await DiskAnnSource.CheckAsync(prefix, _options, cancellationToken).ConfigureAwait(false);
                timer.End("check");

                // What reads ahead is bound to its thread: from here on it does not change.
                return await _generations.WriteAsync(generation => Task.FromResult(Import(source, generation, timer, progress, cancellationToken))).ConfigureAwait(false);
            },
            cancellationToken);
    }

    private DiskAnnImportReport Import(DiskAnnSource source, uint generation, PhaseTimer timer, IProgress<BuildProgress>? progress, CancellationToken cancellationToken)
    {
        DiskAnnHeader header = source.Graph.Header;
        DiskAnnNodeFormat format = source.Graph.Format;
        var layout = NodeLayout.Plain(format.ElementType, header.Dimension, Math.Max(1, format.MaxDegree));
        IndexFilesWriter.Reserve(_directory, generation, layout, merged: null, given: null, header.Count, source.Quantizer.CodeBytes, KeyDirectoryOptions.Default, _io);
        ulong indexId = FileIds.OfIndex(source.Hash(_options.Metric, _openDevice, progress, cancellationToken), generation);
        timer.End("identify");
        var writer = new IndexFilesWriter(_directory, indexId, generation, _io);

        // The one part that asks for memory by the number of nodes comes first: a lack of it is known before the work.
        (FileEntry keys, KeyDirectoryShape keyShape) = WriteKeys(header.Count, writer, cancellationToken);
        timer.End("keys");
        (FileEntry nodes, long links) = WriteNodes(source.Graph, writer, layout, progress, cancellationToken);
        timer.End("nodes");
        FileEntry codes = WriteCodes(source, writer, progress, cancellationToken);
        timer.End("codes");
        double meanDegree = (double)links / header.Count;
        long bytes = _generations.Publish(new Manifest(indexId, generation, new IndexSchema
        {
            Metric = _options.Metric,
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
        foreach (string note in source.Notes)
            BuildLog.ImportNote(_logger, note);
        return new DiskAnnImportReport
        {
            Points = header.Count,
            Dimension = header.Dimension,
            ElementType = format.ElementType,
            MaxDegree = layout.MaxListLength,
            MeanDegree = meanDegree,
            CodeBytes = source.Quantizer.CodeBytes,
            EntryPoint = header.Medoid,
            IndexBytes = bytes,
            WallSeconds = timer.WallSeconds,
            CpuSeconds = timer.CpuSeconds,
            Phases = timer.Phases,
            Notes = source.Notes,
        };
    }

    private static (FileEntry File, KeyDirectoryShape Shape) WriteKeys(long count, IndexFilesWriter writer, CancellationToken cancellationToken)
    {
        var keys = new KeyDirectoryWriter((int)count, KeyDirectoryOptions.Default);
        for (uint id = 0; id < count; id++)
            keys.Add(id, id);
        return writer.WriteKeys(keys, cancellationToken);
    }

    private (FileEntry File, long Links) WriteNodes(
        DiskAnnGraphFile graph, IndexFilesWriter writer, NodeLayout layout, IProgress<BuildProgress>? progress, CancellationToken cancellationToken)
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
                if (FindDefect(graph.Format.ElementType, vector) is { } defect)
                    throw new InvalidVectorException(nodes.First + i, $"{graph.Path}: {defect}.");
                int degree = graph.Format.CopyLinks(node, links, graph.Path, nodes.Offset(i));
                file.Add((ulong)(nodes.First + i), vector, links.AsSpan(0, degree));
                total += degree;
            }

            progress?.Report(new BuildProgress("nodes", nodes.First + count, graph.Header.Count));
        }

        return (file.Complete(), total);
    }

    private string? FindDefect(VectorElementType type, ReadOnlySpan<byte> vector)
    {
        if (VectorConversion.FindDefect(_options.Metric, type, vector) is { } defect)
            return defect;
        if (_options.Metric != DistanceMetric.Cosine)
            return null;
        double norm = VectorConversion.SquaredNorm(type, vector);
        return Math.Abs(norm - 1) <= UnitTolerance ? null : $"expected a vector of unit length for the cosine metric, found a squared length of {norm:G4}";
    }

    private FileEntry WriteCodes(DiskAnnSource source, IndexFilesWriter writer, IProgress<BuildProgress>? progress, CancellationToken cancellationToken)
    {
        RowLayout rows = source.Codes.Rows;
        using var codes = new DiskAnnRows(source.Codes.Path, rows, _openDevice);
        using PageStreamWriter file = writer.BeginCodes(rows.Count * rows.RowBytes);
        while (codes.Read(cancellationToken) is var count and > 0)
        {
            if (source.CodeLimit < 256 && codes.Bytes.IndexOfAnyInRange((byte)source.CodeLimit, byte.MaxValue) is var at and >= 0)
                throw new VectorFormatException(source.Codes.Path, codes.Offset(codes.First) + at, $"a code byte below {source.CodeLimit}, the number of pivots", $"{codes.Bytes[at]}");
            file.Write(codes.Bytes);
            progress?.Report(new BuildProgress("codes", codes.First + count, rows.Count));
        }

        file.Complete();
        return file.Entry;
    }
}
