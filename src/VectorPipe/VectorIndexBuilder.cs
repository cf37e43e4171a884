using System.Runtime.ExceptionServices;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using VectorPipe.Building;
using VectorPipe.Building.Partitioned;
using VectorPipe.Devices;
using VectorPipe.Diagnostics;
using VectorPipe.Numerics;
using VectorPipe.Quantization;
using VectorPipe.Storage;

namespace VectorPipe;

/// <summary>Builds an index directory from vectors.</summary>
/// <remarks>
/// A directory has one writer at a time. The new index takes the place of an old one in one step, when all of it is on disk; until then,
/// and if the build fails, is cancelled or killed, the old one stays as it was. Vectors, graph and codes are held in memory while it builds.
/// The same vectors, keys and options give the same files, byte for byte, if the directory held as many generations before; see <see cref="BuildOptions.Threads"/>.
/// </remarks>
public sealed class VectorIndexBuilder
{
    // Of 20,000 searches a hundred may fail: more are no accidents but a region without a way in.
    private const double LeastFoundShare = 0.995;

    private readonly string _directory;
    private readonly BuildOptions _options;
    private readonly ILogger _logger;
    private readonly IStorageIo _io;
    private readonly GenerationWriter _generations;

    /// <summary>Prepares a build.</summary>
    /// <param name="directory">The index directory; created if it does not exist.</param>
    /// <param name="options">How to build; null for the defaults.</param>
    /// <param name="loggerFactory">Receives log messages; null for none.</param>
    public VectorIndexBuilder(string directory, BuildOptions? options = null, ILoggerFactory? loggerFactory = null)
        : this(directory, options, loggerFactory, FileStorageIo.Instance)
    {
    }

    /// <summary>Prepares a build that writes by way of <paramref name="io"/>.</summary>
    internal VectorIndexBuilder(string directory, BuildOptions? options, ILoggerFactory? loggerFactory, IStorageIo io)
    {
        ArgumentException.ThrowIfNullOrEmpty(directory);
        _directory = directory;
        _options = options ?? new BuildOptions();
        _io = io;
        _logger = (loggerFactory ?? NullLoggerFactory.Instance).CreateLogger<VectorIndexBuilder>();
        _generations = new GenerationWriter(directory, io, _logger);
    }

    /// <summary>How the key directory is laid out.</summary>
    internal KeyDirectoryOptions KeyDirectory { get; init; } = KeyDirectoryOptions.Default;

    /// <summary>Reads all vectors, builds the graph, writes the files and publishes them.</summary>
    /// <param name="source">The vectors; read once, to the end.</param>
    /// <param name="progress">Told the phase and its share done; may be null.</param>
    /// <param name="cancellationToken">Cancels the build within about a second.</param>
    /// <exception cref="InvalidVectorException">A vector is not finite, has no direction under the cosine metric, a key is used twice, or there is no vector.</exception>
    /// <exception cref="IndexWriteException">The directory cannot be written to, another writer holds it, or the disk is full.</exception>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public Task<BuildReport> BuildAsync(VectorSource source, IProgress<BuildProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(source);
        int codeBytes = Validate(source);
        return Task.Run(async () =>
        {
            try
            {
                return await _generations.WriteAsync(generation => BuildGenerationAsync(source, codeBytes, generation, progress, cancellationToken)).ConfigureAwait(false);
            }
            catch (AggregateException e) when (e.InnerException is not null)
            {
                // Parallel loops wrap what their bodies throw; the caller gets the error itself.
                ExceptionDispatchInfo.Throw(e.InnerException);
                throw;
            }
        }, cancellationToken);
    }

    private int Validate(VectorSource source)
    {
        Require.That(source.Dimension is >= 1 and <= SchemaLimits.MaxDimension, nameof(source.Dimension), source.Dimension, $"a dimension of 1 to {SchemaLimits.MaxDimension}");
        if (source.Count < 1)
            throw new InvalidVectorException("Expected at least one vector, found none.");
        Require.That(source.Count <= int.MaxValue, nameof(source.Count), source.Count, $"at most {int.MaxValue} vectors");
        return _options.Validate(source.Dimension);
    }

    private async Task<BuildReport> BuildGenerationAsync(VectorSource source, int codeBytes, uint generation, IProgress<BuildProgress>? progress, CancellationToken cancellationToken)
    {
        var timer = new PhaseTimer(_logger);
        var layout = new NodeLayout(source.ElementType, source.Dimension, _options.MaxDegree);
        int count = (int)source.Count;
        IndexFilesWriter.Reserve(_directory, generation, layout, count, codeBytes, KeyDirectory, _io);
        using var vectors = new NativeBuffer((nuint)count * (nuint)layout.VectorBytes);
        ulong[] keys = new ulong[count];
        await VectorLoader.LoadAsync(source, _options.Metric, vectors, keys, progress, cancellationToken).ConfigureAwait(false);
        timer.End("read");

        ProductQuantizer quantizer = CodeTrainer.Train(_options.Metric, source.ElementType, source.Dimension, vectors, count, codeBytes, _options.Seed, _options.Threads, cancellationToken);
        progress?.Report(new BuildProgress("train", 1, 1));
        timer.End("train");

        using NativeBuffer codes = CodeTrainer.Encode(
            quantizer, _options.Metric, source.ElementType, vectors, count, _options.Threads, done => progress?.Report(new BuildProgress("encode", done, count)), cancellationToken);
        timer.End("encode");

        using PointSet points = PointSets.Create(_options.Metric, source.ElementType, source.Dimension, count, vectors);
        var graphReport = new GraphReport();
        Graph graph = BuildGraph(points, graphReport, progress, cancellationToken);
        timer.End("graph");

        int[] order = PagePacker.Order(graph, points, layout.NodesPerPage, cancellationToken);
        timer.End("pack");

        var schema = new IndexSchema
        {
            Metric = _options.Metric,
            ElementType = source.ElementType,
            Dimension = source.Dimension,
            Count = count,
            MaxDegree = _options.MaxDegree,
            CodeBytes = codeBytes,
            EntryPoint = Array.IndexOf(order, graph.Entry),
            BuildListSize = _options.ListSize,
            Alpha = _options.Alpha,
            Seed = _options.Seed,
            MeanDegree = (float)graphReport.MeanDegree,
        };
        ulong indexId = FileIds.OfIndex(IndexContent.Hash(schema, vectors, keys, quantizer, codes, graph, order, cancellationToken), generation);
        var writer = new IndexFilesWriter(_directory, indexId, generation, _io);
        (FileEntry keyFile, KeyDirectoryShape keyShape) = writer.WriteKeys(keys, order, KeyDirectory, cancellationToken);
        FileEntry[] files =
        [
            writer.WriteNodes(layout, vectors, keys, graph, order, (done, total) => progress?.Report(new BuildProgress("write", done, total)), cancellationToken),
            writer.WriteCodes(codes, codeBytes, order, cancellationToken),
            writer.WriteCodeBook(quantizer),
            keyFile,
        ];
        long bytes = _generations.Publish(new Manifest(indexId, generation, schema, keyShape, files));
        timer.End("write");
        return new BuildReport
        {
            Points = count,
            Dimension = source.Dimension,
            MeanDegree = graphReport.MeanDegree,
            Reachable = graphReport.Reachable,
            Repaired = count - graphReport.ReachableBeforeRepair,
            FoundThemselves = graphReport.FoundShare,
            IndexBytes = bytes,
            WallSeconds = timer.WallSeconds,
            CpuSeconds = timer.CpuSeconds,
            Phases = timer.Phases,
        };
    }

    private Graph BuildGraph(PointSet points, GraphReport report, IProgress<BuildProgress>? progress, CancellationToken cancellationToken)
    {
        IGraphBuilder builder = _options.Algorithm == GraphAlgorithm.Vamana ? new VamanaBuilder() : new PartitionedBuilder();
        var parameters = new GraphParameters(_options.MaxDegree, _options.ListSize, _options.Alpha, _options.Threads, _options.Seed);
        Graph graph = builder.Build(points, parameters, report, new GraphProgressRelay(progress), cancellationToken);
        if (report.ReachableBeforeRepair < points.Count)
            BuildLog.Repaired(_logger, points.Count - report.ReachableBeforeRepair, points.Count, report.LinksAdded);
        if (report.FoundShare < LeastFoundShare)
            BuildLog.MissedThemselves(_logger, report.Checked, report.FoundThemselves, report.FoundShare, LeastFoundShare);
        else
            BuildLog.FoundThemselves(_logger, report.Checked, report.FoundThemselves, report.FoundShare);
        return graph;
    }
}
