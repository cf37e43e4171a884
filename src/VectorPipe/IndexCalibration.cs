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
    public static IndexInfo Run(string directory, int queries, IProgress<BuildProgress>? progress, CancellationToken cancellationToken)
    {
        Manifest manifest = IndexDirectory.ReadManifest(directory);
        Require.That(manifest.Schema.Count >= IndexCalibrator.LeastVectors, nameof(directory), manifest.Schema.Count, $"an index of at least {IndexCalibrator.LeastVectors} vectors");
        using WriteLock writeLock = WriteLock.Take(directory, FileStorageIo.Instance);

        // A build may have published between the look and the lock.
        manifest = IndexDirectory.ReadManifest(directory);
        using (SearchIndex index = IndexLoader.Load(directory, manifest, OpenOptions.Default, NullLogger.Instance, cancellationToken))
        {
            Calibration calibration = IndexCalibrator.Run(index, queries, IndexCalibrator.MaxQueriesInFlight, (done, total) => progress?.Report(new BuildProgress("calibrate", done, total)), cancellationToken);
            manifest = manifest with { Calibration = calibration };
        }

        IndexDirectory.Publish(directory, manifest, FileStorageIo.Instance);
        return IndexLoader.Describe(directory, manifest);
    }
}
