using Microsoft.Extensions.Logging.Abstractions;
using VectorPipe.Diagnostics;
using VectorPipe.Searching;
using VectorPipe.Searching.Calibrating;
using VectorPipe.Storage;

namespace VectorPipe;

/// <summary>Measures an index that is there, and writes what was found into its manifest.</summary>
internal static class IndexCalibration
{
    /// <summary>Calibrates the index of a directory; see <see cref="VectorIndex.CalibrateAsync"/>.</summary>
    /// <param name="directory">The index directory.</param>
    /// <param name="queries">Queries that are made.</param>
    /// <param name="progress">Told the searches done; may be null.</param>
    /// <param name="cancellationToken">Cancels the calibration.</param>
    /// <param name="io">Writes; null for files.</param>
    public static IndexInfo Run(string directory, int queries, IProgress<BuildProgress>? progress, CancellationToken cancellationToken, IStorageIo? io = null)
    {
        io ??= FileStorageIo.Instance;
        Manifest manifest = IndexDirectory.ReadManifest(directory);
        Require.That(manifest.Schema.Count >= IndexCalibrator.LeastVectors, nameof(directory), manifest.Schema.Count, $"an index of at least {IndexCalibrator.LeastVectors} vectors");
        using WriteLock writeLock = WriteLock.Take(directory, io);

        // A build may have published between the look and the lock.
        manifest = IndexDirectory.ReadManifest(directory);
        using (SearchIndex index = IndexLoader.Load(directory, manifest, OpenOptions.Default, NullLogger.Instance, cancellationToken))
        {
            Calibration calibration = IndexCalibrator.Run(index, queries, IndexCalibrator.MaxQueriesInFlight, (done, total) => progress?.Report(new BuildProgress("calibrate", done, total)), cancellationToken);
            manifest = manifest with { Calibration = calibration };
        }

        IndexDirectory.Publish(directory, manifest, io);
        return IndexLoader.Describe(directory, manifest);
    }
}
