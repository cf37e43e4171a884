using System.Runtime.ExceptionServices;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using VectorPipe.Building;
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

/// <summary>Builds an index directory from vectors.</summary>
/// <remarks>
/// A directory has one writer at a time. The new index takes the place of an old one in one step, when all of it is on disk; until then,
/// and if the build fails, is cancelled or killed, the old one stays as it was. Vectors and graph are held in memory while it builds, unless <see cref="BuildOptions.MemoryBudget"/> bounds it.
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

    private PartitionedOptions PartitionedOptions => new() { KeptNearest = _options.ResolvedLayout == IndexLayout.Merged ? AffinityRanker.Neighbours : 0 };

    /// <summary>How the key directory is laid out.</summary>
    internal KeyDirectoryOptions KeyDirectory { get; init; } = KeyDirectoryOptions.Default;

    /// <summary>Queries that the index is calibrated with, at most.</summary>
    internal int CalibrationQueries { get; init; } = IndexCalibrator.DefaultQueries;

    /// <summary>What makes the graph; null: what the options say. For comparisons of indexes of one and the same graph.</summary>
    internal IGraphBuilder? GraphBuilder { get; init; }

    /// <summary>Plain layout: whether nodes lie in a random order instead of near ones in a page, so that a page is worth no more than the node it is read for. For comparisons.</summary>
    internal bool IsShuffled { get; init; }

    /// <summary>Computes what <see cref="BuildAsync"/> will take: memory, scratch files, time. Reads no vector and creates nothing.</summary>
    /// <param name="source">The vectors; asked for their number and shape alone.</param>
    /// <returns>The plan; also of a <see cref="BuildOptions.MemoryBudget"/> that is below the least, which a build refuses.</returns>
    /// <exception cref="InvalidVectorException">There is no vector.</exception>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public BuildPlan Plan(VectorSource source)
    {
        ArgumentNullException.ThrowIfNull(source);
        if (_options.Kind == IndexKind.Ivf)
            return Lists(source).Plan(KeyDirectory);
        return new BuildPlanner(_options, source, Validate(source)).Plan(KeyDirectory);
    }

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
        if (_options.Kind == IndexKind.Ivf)
        {
            ListIndexBuilder lists = Lists(source);
            BuildPlan listPlan = lists.Plan(KeyDirectory);
            RequireBudget(listPlan);
            Log(listPlan);
            return WriteAsync(generation => lists.BuildGenerationAsync(_generations, KeyDirectory, generation, CalibrationQueries, progress, cancellationToken), cancellationToken);
        }

        MemorySplit split = Validate(source);
        var planner = new BuildPlanner(_options, source, split);
        BuildPlan plan = planner.Plan(KeyDirectory);
        RequireBudget(plan);
        Log(plan);
        return WriteAsync(generation => BuildGenerationAsync(source, split, planner.Memory, plan.ScratchBytes, generation, progress, cancellationToken), cancellationToken);
    }

    private Task<BuildReport> WriteAsync(Func<uint, Task<BuildReport>> build, CancellationToken cancellationToken) => Task.Run(
        async () =>
        {
            try
            {
                return await _generations.WriteAsync(build).ConfigureAwait(false);
            }
            catch (AggregateException e) when (e.InnerException is not null)
            {
                // Parallel loops wrap what their bodies throw; the caller gets the error itself.
                ExceptionDispatchInfo.Throw(BuildErrors.Choose(e));
                throw;
            }
        },
        cancellationToken);

    private ListIndexBuilder Lists(VectorSource source) => new(_directory, _options, source, Validate(source), _logger, _io);

    private MemorySplit Validate(VectorSource source)
    {
        Require.That(source.Dimension is >= 1 and <= SchemaLimits.MaxDimension, nameof(source.Dimension), source.Dimension, $"a dimension of 1 to {SchemaLimits.MaxDimension}");
        if (source.Count < 1)
            throw new InvalidVectorException("Expected at least one vector, found none.");
        Require.That(source.Count <= int.MaxValue, nameof(source.Count), source.Count, $"at most {int.MaxValue} vectors");
        return _options.Validate(source.ElementType, source.Dimension);
    }

    private async Task<BuildReport> BuildGenerationAsync(VectorSource source, MemorySplit split, MemoryPlan memory, long scratchBytes, uint generation, IProgress<BuildProgress>? progress, CancellationToken cancellationToken)
    {
        var timer = new PhaseTimer(_logger);
        int count = (int)source.Count;
        int codeBytes = split.CodeBytes;
        PageForm form = PageForm.Of(_options, source, split);
        HalfFit? fit = form.IsRounded ? new HalfFit(_options.Metric) : null;
        IndexFilesWriter.Reserve(_directory, generation, form.Layout, form.Merged, form.Given, count, codeBytes, KeyDirectory, _io, CodeTrainer.KindFor(_options.Code, source.Dimension));
        IndexFilesWriter.RequireScratchRoom(_directory, generation, scratchBytes, _io);
        using BuildSpace? space = OpenSpace(memory, generation);
        PagedMemory? paging = space?.Memory;
        space?.Enter(BuildStage.Read);
        var points = new PointTable(_options.Metric, source.ElementType, source.Dimension, count, paging);
        ulong pointsHash;
        Quantizer quantizer;
        try
        {
            pointsHash = await VectorLoader.LoadAsync(source, points, paging, fit, progress, cancellationToken).ConfigureAwait(false);
            if (fit is not null && FindDefect(fit, points, paging) is { } defect)
            {
                BuildLog.VectorsAsGiven(_logger, defect);
                form = PageForm.Of(_options, source, split, asGiven: true);
                IndexFilesWriter.Release(_directory, generation, FileRole.Vectors, _io);
            }

            timer.End("read");
            space?.Enter(BuildStage.Train);
            using (PageLease lease = PageLease.Rent(paging))
                quantizer = CodeTrainer.Train(points, lease, _options.Code, codeBytes, _options.Seed, memory.Threads, cancellationToken);
            if (quantizer.Kind != _options.Code)
                BuildLog.CodeWithoutRotation(_logger, source.Dimension, Rotation.MaxDimension);
            progress?.Report(new BuildProgress("train", 1, 1));
            timer.End("train");
        }
        catch
        {
            points.Dispose();
            throw;
        }

        var graphReport = new GraphReport();
        Manifest manifest = BuildFiles();
        if (form.Merged is not null && count >= IndexCalibrator.LeastVectors)
        {
            // Graph and scratch files are gone: what searches hold takes their place.
            space?.Enter(BuildStage.Calibrate);
            manifest = Calibrate(manifest, memory.CalibrationQueries, progress, cancellationToken);
            timer.End("calibrate");
        }

        long bytes = _generations.Publish(manifest);
        return new BuildReport
        {
            Points = count,
            Dimension = source.Dimension,
            MeanDegree = graphReport.MeanDegree,
            Reachable = graphReport.Reachable,
            Repaired = count - graphReport.ReachableBeforeRepair,
            FoundThemselves = graphReport.FoundShare,
            IndexBytes = bytes,
            ScratchBytesRead = paging?.BytesRead ?? 0,
            ScratchBytesWritten = paging?.BytesWritten ?? 0,
            WallSeconds = timer.WallSeconds,
            CpuSeconds = timer.CpuSeconds,
            Phases = timer.Phases,
        };

        Manifest BuildFiles()
        {
            using BuiltGraph graph = BuildGraph(points, memory.Threads, space, graphReport, progress, cancellationToken);
            timer.End("graph");

            space?.Enter(BuildStage.Pack);
            int[] order = Pack(graph, form.Layout, memory, paging, progress, cancellationToken);
            timer.End("pack");

            space?.Enter(BuildStage.Write);
            var schema = new IndexSchema
            {
                Metric = _options.Metric,
                ElementType = source.ElementType,
                Dimension = source.Dimension,
                Count = count,
                MaxDegree = _options.MaxDegree,
                CodeBytes = codeBytes,
                Code = quantizer.Kind,
                EntryPoint = Array.IndexOf(order, graph.Entry),
                BuildListSize = _options.ListSize,
                Alpha = _options.Alpha,
                Seed = _options.Seed,
                MeanDegree = (float)graphReport.MeanDegree,
                Merged = form.Merged,
            };
            Manifest written = Write(schema, form, pointsHash, quantizer, graph, order, space, memory, generation, progress, cancellationToken);
            timer.End("write");
            return written;
        }
    }

    // Whoever asks for rounded vectors gets them, as long as they can be represented.
    private string? FindDefect(HalfFit fit, PointTable points, PagedMemory? paging)
    {
        if (_options.PageVectors == PageVectors.Auto)
        {
            using PageLease lease = PageLease.Rent(paging);
            return fit.FindDefect(points, lease);
        }

        if (fit.RangeDefect is { } defect)
            throw new InvalidVectorException(fit.LargestRow, defect + ".");
        return null;
    }

    private Manifest Write(
        IndexSchema schema, PageForm form, ulong pointsHash, Quantizer quantizer, BuiltGraph graph, int[] order, BuildSpace? space, MemoryPlan memory, uint generation, IProgress<BuildProgress>? progress, CancellationToken cancellationToken)
    {
        ulong indexId = FileIds.OfIndex(IndexContent.Hash(schema, pointsHash, quantizer, graph, order, cancellationToken), generation);
        var writer = new IndexFilesWriter(_directory, indexId, generation, _io);
        void OnNodes(long done) => progress?.Report(new BuildProgress("write", done, order.Length));
        var encoder = new CodeEncoder(quantizer, IndexFilesWriter.BatchRows, memory.Threads);
        FileEntry[] files;
        KeyDirectoryShape keys;
        if (form.Merged is { } merged)
        {
            MergedGraph pages = new MergedGraph(form.Layout, merged, graph, graph.Nearest!, order, IndexFilesWriter.IdsOf(order), space?.Memory).WithFittedCode();
            schema = schema with { Merged = pages.Shape };
            var merger = new MergedFilesWriter(pages, form.Given, memory.Threads, OnNodes, cancellationToken);
            using IPageApplications applications = merger.Apply(space, memory.Applications);
            (files, keys) = merger.Write(applications, writer, encoder, KeyDirectory);
        }
        else
        {
            using PageLease lease = PageLease.Rent(space?.Memory);
            (files, keys) = writer.WriteGraph(form.Layout, graph, order, encoder, KeyDirectory, lease, OnNodes, cancellationToken);
        }

        return new Manifest(indexId, generation, schema, keys, [.. files, writer.WriteCodeBook(quantizer)]);
    }

    private Manifest Calibrate(Manifest manifest, int queriesInFlight, IProgress<BuildProgress>? progress, CancellationToken cancellationToken)
    {
        using SearchIndex index = IndexLoader.Load(_directory, manifest, OpenOptions.Default, _logger, cancellationToken);
        Calibration calibration = IndexCalibrator.Run(
            index, CalibrationQueries, queriesInFlight, (done, total) => progress?.Report(new BuildProgress("calibrate", done, total)), cancellationToken);
        return manifest with { Calibration = calibration };
    }

    private int[] Pack(BuiltGraph graph, NodeLayout layout, MemoryPlan memory, PagedMemory? paging, IProgress<BuildProgress>? progress, CancellationToken cancellationToken)
    {
        long done = 0;
        void OnRows(int rows) => progress?.Report(new BuildProgress("pack", Interlocked.Add(ref done, rows), graph.Links.Count));
        if (!layout.IsMerged)
        {
            using GraphView view = graph.OpenView();
            return IsShuffled ? Shuffle(graph.Links.Count) : PagePacker.Order(view, graph.Entry, layout.NodesPerPage, OnRows, cancellationToken);
        }

        return PageAssignment.Run(graph.Nearest!, paging, layout.NodesPerPage, _options.Seed, memory.PackThreads, OnRows, cancellationToken, memory.PackChunkRows);
    }

    private int[] Shuffle(int count)
    {
        int[] order = [.. Enumerable.Range(0, count)];
        var random = new SplitMix64(_options.Seed);
        for (int i = count - 1; i > 0; i--)
        {
            int j = random.Next(i + 1);
            (order[i], order[j]) = (order[j], order[i]);
        }

        return order;
    }

    private BuildSpace? OpenSpace(MemoryPlan plan, uint generation)
    {
        if (plan.Budget is null)
            return null;
        var memory = new PagedMemory(_directory, name => IndexDirectory.ScratchName(name, generation), new DeviceOptions(), _io, _logger);
        return new BuildSpace(memory, plan.PagedBytes, plan.ShuffleBytes, purpose => ShufflePaths.OfBuild(_directory, generation, purpose)) { RefineThreads = plan.RefineThreads };
    }

    private void RequireBudget(BuildPlan plan)
    {
        if (plan.MemoryBudget is { } budget)
        {
            Require.That(
                budget >= plan.LeastMemoryBudget,
                nameof(BuildOptions.MemoryBudget),
                budget,
                $"at least {plan.LeastMemoryBudget:N0} bytes for {plan.Points:N0} vectors of {plan.Dimension} x {plan.ElementType}");
        }
    }

    private void Log(BuildPlan plan)
    {
        foreach (BuildPlanPhase phase in plan.Phases)
            BuildLog.PlannedPhase(_logger, phase.Name, phase.MemoryBytes, phase.BytesRead, phase.BytesWritten, phase.EstimatedSeconds);
        if (plan.Threads < _options.Threads)
            BuildLog.FewerThreads(_logger, plan.Threads, _options.Threads);
        BuildLog.Planned(_logger, plan.Points, plan.MemoryBytes, plan.LeastMemoryBudget, plan.ScratchBytes, plan.IndexBytes, plan.EstimatedSeconds);
    }

    private BuiltGraph BuildGraph(PointTable points, int threads, BuildSpace? space, GraphReport report, IProgress<BuildProgress>? progress, CancellationToken cancellationToken)
    {
        int count = points.Count;
        IGraphBuilder builder = GraphBuilder ?? (_options.Algorithm == GraphAlgorithm.Vamana ? new VamanaBuilder() : new PartitionedBuilder(PartitionedOptions, space));
        var parameters = new GraphParameters(_options.MaxDegree, _options.ListSize, _options.Alpha, threads, _options.Seed);
        BuiltGraph graph = builder.Build(points, parameters, report, new GraphProgressRelay(progress), cancellationToken);
        if (report.ReachableBeforeRepair < count)
            BuildLog.Repaired(_logger, count - report.ReachableBeforeRepair, count, report.LinksAdded);
        if (report.FoundShare < LeastFoundShare)
            BuildLog.MissedThemselves(_logger, report.Checked, report.FoundThemselves, report.FoundShare, LeastFoundShare);
        else
            BuildLog.FoundThemselves(_logger, report.Checked, report.FoundThemselves, report.FoundShare);
        return graph;
    }
}
