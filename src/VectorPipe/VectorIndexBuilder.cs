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

namespace VectorPipe;

/// <summary>Builds an index directory from vectors.</summary>
/// <remarks>
/// A directory has one writer at a time. The new index replaces an old one in one step, when all of it is on disk; until then, and if the
/// build fails, is cancelled or killed, the old one stays. Vectors and graph are in memory during the build, unless
/// <see cref="BuildOptions.MemoryBudget"/> bounds it. A source without vectors makes an empty index. The same vectors, keys and options
/// give the same files, byte for byte, if the directory held as many generations before.
/// </remarks>
public sealed class VectorIndexBuilder
{
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

    /// <summary>Prepares a build that writes through <paramref name="io"/>.</summary>
    internal VectorIndexBuilder(string directory, BuildOptions? options, ILoggerFactory? loggerFactory, IStorageIo io)
    {
        ArgumentException.ThrowIfNullOrEmpty(directory);
        _directory = directory;
        _options = options ?? new BuildOptions();
        _logger = (loggerFactory ?? NullLoggerFactory.Instance).CreateLogger<VectorIndexBuilder>();
        _generations = new GenerationWriter(directory, io, _logger);
        _io = _generations.Io;
    }

    /// <summary>Layout of the key directory.</summary>
    internal KeyDirectoryOptions KeyDirectory { get; init; } = KeyDirectoryOptions.Default;

    /// <summary>Most queries of the calibration.</summary>
    internal int CalibrationQueries { get; init; } = IndexCalibrator.DefaultQueries;

    /// <summary>Builds the graph instead of the library, for comparisons; null for none.</summary>
    internal IGraphBuilder? GraphBuilder { get; init; }

    /// <summary>Computes memory, scratch files and time of <see cref="BuildAsync"/>. Reads no vector and creates nothing.</summary>
    /// <param name="source">The vectors; only their number and shape count.</param>
    /// <returns>The plan, even for a <see cref="BuildOptions.MemoryBudget"/> below the least, which a build refuses.</returns>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public BuildPlan Plan(VectorSource source)
    {
        ArgumentNullException.ThrowIfNull(source);
        return Prepare(source).Plan;
    }

    /// <summary>Reads all vectors, builds the index, writes its files and publishes them.</summary>
    /// <param name="source">The vectors; read once, to the end.</param>
    /// <param name="progress">Receives the progress; may be null.</param>
    /// <param name="cancellationToken">Cancels the build within about a second.</param>
    /// <exception cref="InvalidVectorException">
    /// A vector is not finite, or zero under the cosine metric; a key is used twice; or the source has another number of vectors than its
    /// count.
    /// </exception>
    /// <exception cref="IndexWriteException">The directory cannot be written to, another writer holds it, or the disk is full.</exception>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public Task<BuildReport> BuildAsync(
        VectorSource source, IProgress<BuildProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(source);
        IndexBuild build = Prepare(source);
        build.RequireBudget();
        build.LogPlan();
        return Task.Run(() => WriteAsync(build, progress, cancellationToken), cancellationToken);
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
