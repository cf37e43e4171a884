using Microsoft.Extensions.Logging;
using VectorPipe.Building;
using VectorPipe.Building.Ivf;
using VectorPipe.Building.Layout;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Partitioned;
using VectorPipe.Building.Shuffling;
using VectorPipe.Devices;
using VectorPipe.Diagnostics;
using VectorPipe.Numerics;
using VectorPipe.Quantization;
using VectorPipe.Searching;
using VectorPipe.Searching.Calibrating;
using VectorPipe.Storage;

namespace VectorPipe;

/// <summary>Builds a generation of an index of lists: reads the vectors, divides them by balanced k-means, links the centroids, shuffles, writes.</summary>
/// <remarks>The same vectors, keys, options and seed give the same files at any number of threads. One build an instance.</remarks>
internal sealed class ListIndexBuilder
{
    private readonly string _directory;
    private readonly BuildOptions _options;
    private readonly VectorSource _source;
    private readonly ListBuildShape _shape;
    private readonly ListMemory _memory;
    private readonly ILogger _logger;
    private readonly IStorageIo _io;

    /// <param name="directory">The index directory.</param>
    /// <param name="options">How to build; checked.</param>
    /// <param name="source">The vectors.</param>
    /// <param name="split">What a vector's code may take.</param>
    /// <param name="logger">Receives log messages.</param>
    /// <param name="io">Writes.</param>
    /// <exception cref="ArgumentOutOfRangeException">The options do not go with the vectors.</exception>
    public ListIndexBuilder(string directory, BuildOptions options, VectorSource source, MemorySplit split, ILogger logger, IStorageIo io)
    {
        Require.That(options.Lists is null || options.Lists <= source.Count, nameof(BuildOptions.Lists), options.Lists, $"at most {source.Count}, the number of vectors");
        _directory = directory;
        _options = options;
        _source = source;
        VectorElementType stored = options.PageVectors == PageVectors.Float16 && source.ElementType == VectorElementType.Float32 ? VectorElementType.Float16 : source.ElementType;
        int codeBytes = options.CodedLists ? split.CodeBytes : 0;
        _shape = new ListBuildShape(
            options.Metric,
            source.ElementType,
            source.Dimension,
            source.Count,
            codeBytes,
            CodeTrainer.KindFor(options.Code, source.Dimension),
            stored,
            options.Threads,
            ListPlan.Of(stored, source.Dimension, source.Count, codeBytes, options.Lists, options.PageSize));
        _shape = _shape with { Threads = ThreadBudget.Within(options.MemoryBudget, options.Threads, threads => LeastOf(threads)) };
        _memory = new ListMemory(_shape.Needs(), options.MemoryBudget);
        _logger = logger;
        _io = io;
    }

    // Vectors shuffled, and, if they are paged, as they were read.
    private long ScratchBytes
    {
        get
        {
            ListNeeds needs = _shape.Needs();
            long shuffled = new ShuffleOptions(needs.RecordBytes, needs.Largest.Lists, _memory.ShuffleBytes, needs.Count).ExpectedFileBytes;
            return shuffled + (_memory.Budget is null ? 0 : _memory.TableBytes(BuildStage.Read) + PagedMemory.BlockBytes);
        }
    }

    /// <summary>What the build will take.</summary>
    /// <param name="keys">How the key directory is laid out.</param>
    public BuildPlan Plan(KeyDirectoryOptions keys)
    {
        long indexBytes = _shape.Sizes(keys).Sum(file => file.Bytes);
        BuildPlanPhase[] phases = [.. ListCosts.Of(_shape, _memory, indexBytes).Select(cost => new BuildPlanPhase(cost.Name, cost.MemoryBytes, cost.BytesRead, cost.BytesWritten, cost.Seconds))];
        return new BuildPlan
        {
            Points = _source.Count,
            Dimension = _source.Dimension,
            ElementType = _source.ElementType,
            MemoryBudget = _options.MemoryBudget,
            LeastMemoryBudget = LeastOf(threads: 1),
            Threads = _shape.Threads,
            MemoryBytes = phases.Max(phase => phase.MemoryBytes),

            ScratchBytes = ScratchBytes,
            IndexBytes = indexBytes,
            EstimatedSeconds = phases.Sum(phase => phase.EstimatedSeconds),
            Phases = phases,
            Partitions = null,
        };
    }

    /// <summary>Builds and publishes.</summary>
    /// <param name="generations">Publishes.</param>
    /// <param name="keyDirectory">How the key directory is laid out.</param>
    /// <param name="generation">The generation's number.</param>
    /// <param name="calibrationQueries">Queries that the index is calibrated with, at most.</param>
    /// <param name="progress">Told the phase and its share done; may be null.</param>
    /// <param name="cancellationToken">Cancels the build.</param>
    public async Task<BuildReport> BuildGenerationAsync(
        GenerationWriter generations, KeyDirectoryOptions keyDirectory, uint generation, int calibrationQueries, IProgress<BuildProgress>? progress, CancellationToken cancellationToken)
    {
        var timer = new PhaseTimer(_logger);
        int count = (int)_source.Count;
        IndexFilesWriter.Reserve(_directory, generation, _shape.Sizes(keyDirectory), _io);
        IndexFilesWriter.RequireScratchRoom(_directory, generation, ScratchBytes, _io);
        using BuildSpace? space = OpenSpace(generation);
        PagedMemory? paging = space?.Memory;
        space?.Enter(BuildStage.Read);
        var points = new PointTable(_options.Metric, _source.ElementType, _source.Dimension, count, paging);
        ShuffledLayout shuffled;
        Division division;
        ListFilesWriter writer;
        long shuffledBytes;
        try
        {
            HalfFit? fit = _shape.IsRounded ? new HalfFit(_options.Metric) : null;
            ulong pointsHash = await VectorLoader.LoadAsync(_source, points, paging, fit, progress, cancellationToken).ConfigureAwait(false);
            if (fit?.RangeDefect is { } defect)
                throw new InvalidVectorException(fit.LargestRow, defect + ".");
            timer.End("read");
            Quantizer? quantizer = null;
            if (_shape.IsCoded)
            {
                space?.Enter(BuildStage.Train);
                quantizer = Train(points, paging, progress, cancellationToken);
                timer.End("train");
            }

            space?.Enter(BuildStage.Partition);
            var parameters = new GraphParameters(_options.MaxDegree, _options.ListSize, _options.Alpha, _shape.Threads, _options.Seed);
            using LeafMap map = Partitioner.Run(points, _shape.Plan.RowsOf(count), parameters, paging, new GraphProgressRelay(progress), cancellationToken);
            timer.End("lists: divide");
            space?.Enter(BuildStage.Finish);
            division = Divide(map, quantizer, count, generation, pointsHash, cancellationToken);
            timer.End("lists: centroids");
            writer = new ListFilesWriter(_directory, division.IndexId, generation, _io, _logger);
            space?.Enter(BuildStage.Shuffle);
            shuffled = writer.Shuffle(points, map, paging, _memory.ShuffleBytes, done => progress?.Report(new BuildProgress("shuffle", done, count)), cancellationToken);
            shuffledBytes = shuffled.RowCount * shuffled.RowBytes;
            timer.End("shuffle");
        }
        finally
        {
            // From here on rows come from the shuffled files.
            points.Dispose();
        }

        space?.Enter(BuildStage.Write);
        (FileEntry[] files, KeyDirectoryShape keys) = writer.Write(
            division.Schema, division.Directory, division.Graph, shuffled, division.Quantizer, keyDirectory, _shape.Threads, _memory.WindowBytes, done => progress?.Report(new BuildProgress("write", done, count)), cancellationToken);
        timer.End("write");
        var manifest = new Manifest(division.IndexId, generation, division.Schema, keys, files);
        if (_shape.IsCalibrated)
        {
            space?.Enter(BuildStage.Calibrate);
            manifest = Calibrate(manifest, calibrationQueries, progress, cancellationToken);
            timer.End("calibrate");
        }

        long bytes = generations.Publish(manifest);
        return new BuildReport
        {
            Points = count,
            Dimension = _source.Dimension,
            MeanDegree = 0,
            Reachable = count,
            Repaired = 0,
            FoundThemselves = 1,
            IndexBytes = bytes,
            ScratchBytesRead = shuffledBytes + (paging?.BytesRead ?? 0),
            ScratchBytesWritten = shuffledBytes + (paging?.BytesWritten ?? 0),
            WallSeconds = timer.WallSeconds,
            CpuSeconds = timer.CpuSeconds,
            Phases = timer.Phases,
        };
    }

    private long LeastOf(int threads) => new ListMemory((_shape with { Threads = threads }).Needs(), _options.MemoryBudget).Least;

    private BuildSpace? OpenSpace(uint generation)
    {
        if (_memory.Budget is null)
            return null;
        var memory = new PagedMemory(_directory, name => IndexDirectory.ScratchName(name, generation), new DeviceOptions(), _io, _logger);
        return new BuildSpace(memory, _memory.PagedBytes, _memory.ShuffleBytes, purpose => ShufflePaths.OfBuild(_directory, generation, purpose));
    }

    private Manifest Calibrate(Manifest manifest, int queries, IProgress<BuildProgress>? progress, CancellationToken cancellationToken)
    {
        using SearchIndex index = IndexLoader.Load(_directory, manifest, OpenOptions.Default, _logger, cancellationToken);
        Calibration calibration = IndexCalibrator.Run(
            index,
            Math.Min(queries, IndexCalibrator.ListQueries),
            IndexCalibrator.ListQueriesInFlight,
            (done, total) => progress?.Report(new BuildProgress("calibrate", done, total)),
            cancellationToken);
        return manifest with { Calibration = calibration };
    }

    private Quantizer Train(PointTable points, PagedMemory? paging, IProgress<BuildProgress>? progress, CancellationToken cancellationToken)
    {
        using PageLease lease = PageLease.Rent(paging);
        Quantizer quantizer = CodeTrainer.Train(points, lease, _options.Code, _shape.CodeBytes, _options.Seed, _shape.Threads, cancellationToken);
        if (quantizer.Kind != _options.Code)
            BuildLog.CodeWithoutRotation(_logger, _source.Dimension, Rotation.MaxDimension);
        progress?.Report(new BuildProgress("train", 1, 1));
        return quantizer;
    }

    private Division Divide(LeafMap map, Quantizer? quantizer, int count, uint generation, ulong pointsHash, CancellationToken cancellationToken)
    {
        CentroidGraph graph = CentroidGraph.Build(map, _options.Metric, _shape.Threads, _options.Seed, cancellationToken);
        uint[] rows = new uint[map.Count];
        for (int list = 0; list < rows.Length; list++)
            rows[list] = (uint)map.Size(list);
        var directory = new ListDirectory(rows, _shape.Layout.NodesPerPage, _shape.IsCoded ? ListShape.CodesPerPage(_shape.CodeBytes) : 0);
        var schema = new IndexSchema
        {
            Metric = _options.Metric,
            ElementType = _source.ElementType,
            Dimension = _source.Dimension,
            Count = count,
            MaxDegree = graph.Degree,
            CodeBytes = _shape.CodeBytes,
            Code = quantizer?.Kind ?? CodeKind.Pq,
            EntryPoint = 0,
            BuildListSize = 0,
            Alpha = 0,
            Seed = _options.Seed,
            MeanDegree = 0,
            Lists = new ListShape(map.Count, directory.Pages, _shape.Plan.PageSize, _shape.Components, graph.Degree, graph.Entry, _shape.IsCoded)
            {
                Stored = _shape.IsRounded ? _shape.Stored : null,
            },
        };
        return new Division(schema, directory, graph, quantizer, FileIds.OfIndex(ListContent.Hash(schema, pointsHash, quantizer, map, graph), generation));
    }

    private sealed record Division(IndexSchema Schema, ListDirectory Directory, CentroidGraph Graph, Quantizer? Quantizer, ulong IndexId);
}
