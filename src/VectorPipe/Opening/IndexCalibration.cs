using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using VectorPipe.Devices.Choosing;
using VectorPipe.Diagnostics;
using VectorPipe.Model.Errors;
using VectorPipe.Pipeline;
using VectorPipe.Searching.Calibrating;
using VectorPipe.Searching.Index;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Generations;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Opening;

/// <summary>Measures an index and writes the result into its manifest.</summary>
internal static class IndexCalibration
{
    // A build of hours must not end because a shared disk is busy for a minute.
    private static readonly OpenOptions _patient = OpenOptions.Default with { ReadTimeout = PendingIoOptions.LongestTimeout };

    /// <summary>Reads queries and calibrates the index of a directory with them.</summary>
    public static async Task<IndexInfo> RunAsync(
        string directory, VectorSource queries, IProgress<BuildProgress>? progress, ILogger? logger, CancellationToken cancellationToken)
    {
        IndexSchema schema = IndexDirectory.ReadManifest(directory).Schema;
        CalibrationQueries read = await CalibrationQueries.ReadAsync(queries, schema, cancellationToken).ConfigureAwait(false);
        return Run(directory, read, progress, cancellationToken, logger: logger);
    }

    /// <summary>Calibrates the index of a directory.</summary>
    public static IndexInfo Run(
        string directory, CalibrationQueries queries, IProgress<BuildProgress>? progress, CancellationToken cancellationToken,
        IStorageIo? io = null, ILogger? logger = null)
    {
        io ??= FileStorageIo.Instance;
        Manifest manifest = IndexDirectory.ReadManifest(directory);
        Require.That(
            manifest.Schema.Count >= IndexCalibrator.LeastVectors, nameof(directory), manifest.Schema.Count,
            $"an index of at least {IndexCalibrator.LeastVectors} vectors");
        using WriteLock writeLock = WriteLock.Take(directory, io);

        // A build may have published a generation before the lock was taken.
        manifest = IndexDirectory.ReadManifest(directory);
        queries.RequireFit(manifest.Schema);
        Action<long, long>? report =
            progress is null ? null : (done, total) => progress.Report(new BuildProgress("calibrate", done, total));
        manifest = Measure(
            directory, manifest, queries, IndexCalibrator.MaxQueriesInFlight, Environment.ProcessorCount, report,
            logger ?? NullLogger.Instance, openDevice: null, cancellationToken);
        IndexDirectory.Publish(directory, manifest, io, writeLock.RequireHeld);
        return IndexLoader.Describe(directory, manifest);
    }

    /// <summary>Adds the calibration of a written, unpublished index to its manifest, unless the index cannot be read.</summary>
    /// <param name="directory">The index directory.</param>
    /// <param name="manifest">Names the files of the new index.</param>
    /// <param name="queries">The queries, or how many to make at most.</param>
    /// <param name="queriesInFlight">Queries in flight, of all threads together.</param>
    /// <param name="threads">Most threads that search.</param>
    /// <param name="progress">Receives the searches done; may be null.</param>
    /// <param name="logger">Receives failures.</param>
    /// <param name="openDevice">Opens the device; null for the default device.</param>
    /// <param name="cancellationToken">Cancels the calibration, and with it the build.</param>
    public static Manifest Add(
        string directory, Manifest manifest, CalibrationQueries queries, int queriesInFlight, int threads, Action<long, long>? progress,
        ILogger logger, DeviceOpener? openDevice, CancellationToken cancellationToken)
    {
        for (bool isFirst = true; ; isFirst = false)
        {
            try
            {
                return Measure(directory, manifest, queries, queriesInFlight, threads, progress, logger, openDevice, cancellationToken);
            }
            catch (DeviceException e) when (isFirst)
            {
                BuildLog.CalibrationRetried(logger, e, directory);
            }
            catch (DeviceException e)
            {
                // The files are written and synced: searches by list size need no calibration, and a later one can make up for it.
                BuildLog.NotCalibrated(logger, e, directory);
                return manifest;
            }
        }
    }

    private static Manifest Measure(
        string directory, Manifest manifest, CalibrationQueries queries, int queriesInFlight, int threads, Action<long, long>? progress,
        ILogger logger, DeviceOpener? openDevice, CancellationToken cancellationToken)
    {
        using SearchIndex index = IndexLoader.Load(directory, manifest, _patient, logger, cancellationToken, openDevice);
        return manifest with { Calibration = IndexCalibrator.Run(index, queries, queriesInFlight, threads, progress, cancellationToken) };
    }
}
