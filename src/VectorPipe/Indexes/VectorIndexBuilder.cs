using System.Runtime.ExceptionServices;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using VectorPipe.Building;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Phases;
using VectorPipe.Model;
using VectorPipe.Model.Errors;
using VectorPipe.Searching.Calibrating;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Generations;
using VectorPipe.Storage.Keys;

namespace VectorPipe.Indexes;

/// <summary>Builds an index directory, see <see cref="VectorIndex.BuildAsync"/>; with seams for benchmarks and tests.</summary>
internal sealed class VectorIndexBuilder
{
    private readonly string _directory;
    private readonly BuildOptions _options;
    private readonly ILogger _logger;
    private readonly IStorageIo _io;
    private readonly GenerationWriter _generations;

    public VectorIndexBuilder(string directory, BuildOptions? options = null, ILoggerFactory? loggerFactory = null)
        : this(directory, options, loggerFactory, FileStorageIo.Instance)
    {
    }

    /// <summary>Prepares a build that writes through <paramref name="io"/>.</summary>
    public VectorIndexBuilder(string directory, BuildOptions? options, ILoggerFactory? loggerFactory, IStorageIo io)
    {
        ArgumentException.ThrowIfNullOrEmpty(directory);
        _directory = directory;
        _options = options ?? new BuildOptions();
        _logger = (loggerFactory ?? NullLoggerFactory.Instance).CreateLogger<VectorIndex>();
        _generations = new GenerationWriter(directory, io, _logger) { KeepsSnapshot = _options.Resume };
        _io = _generations.Io;
    }

    /// <summary>Layout of the key directory.</summary>
    public KeyDirectoryOptions KeyDirectory { get; init; } = KeyDirectoryOptions.Default;

    /// <summary>Most queries of the calibration.</summary>
    public int CalibrationQueries { get; init; } = IndexCalibrator.DefaultQueries;

    /// <summary>Where the build and its parallel loops run.</summary>
    public TaskScheduler Scheduler { get; init; } = TaskScheduler.Default;

    /// <summary>Builds the graph instead of the library, for comparisons; null for none.</summary>
    public IGraphBuilder? GraphBuilder { get; init; }

    public BuildPlan Plan(VectorSource source)
    {
        ArgumentNullException.ThrowIfNull(source);
        return Prepare(source).Plan;
    }

    public Task<BuildReport> BuildAsync(
        VectorSource source, IProgress<BuildProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(source);
        IndexBuild build = Prepare(source);
        build.RequireBudget();
        build.LogPlan();
        Task<Task<BuildReport>> started = Task.Factory.StartNew(
            () => WriteAsync(build, progress, cancellationToken), cancellationToken, TaskCreationOptions.DenyChildAttach, Scheduler);
        return started.Unwrap();
    }

    private async Task<BuildReport> WriteAsync(IndexBuild build, IProgress<BuildProgress>? progress, CancellationToken cancellationToken)
    {
        try
        {
            return await _generations
                .WriteAsync(generation => build.RunAsync(new(_directory, generation, _io, _logger), progress, cancellationToken))
                .ConfigureAwait(false);
        }
        catch (AggregateException e) when (e.InnerException is not null)
        {
            // Parallel loops wrap the exceptions of their bodies; the caller gets the exception itself.
            ExceptionDispatchInfo.Throw(BuildErrors.Choose(e));
            throw;
        }
    }

    private IndexBuild Prepare(VectorSource source)
    {
        Require.That(
            source.Dimension is >= 1 and <= SchemaLimits.MaxDimension, nameof(source.Dimension), source.Dimension,
            $"a dimension of 1 to {SchemaLimits.MaxDimension}");
        Require.That(
            source.Count is >= 0 and <= SchemaLimits.MaxBuilt, nameof(source.Count), source.Count, $"0 to {SchemaLimits.MaxBuilt} vectors");
        VectorMemory split = _options.Validate(source.ElementType, source.Dimension);
        var request = new BuildRequest(_options, source, split, _generations)
        {
            Keys = KeyDirectory,
            CalibrationQueries = CalibrationQueries,
            GraphBuilder = GraphBuilder,
        };
        return new IndexBuild(request, _logger);
    }
}
