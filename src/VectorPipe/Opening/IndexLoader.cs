using Microsoft.Extensions.Logging;
using VectorPipe.Devices;
using VectorPipe.Devices.Choosing;
using VectorPipe.Diagnostics;
using VectorPipe.Pipeline;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.Warming;
using VectorPipe.Storage.Generations;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Opening;

/// <summary>Opens an index, and checks all that it can check without reading every node page.</summary>
internal static class IndexLoader
{
    private const int MaxAttempts = 5;

    /// <summary>Loads the published index of a directory, by validated options.</summary>
    public static SearchIndex Load(
        string directory, OpenOptions options, ILogger logger, CancellationToken cancellationToken, DeviceOpener? openDevice = null)
    {
        for (int attempt = 1; ; attempt++)
        {
            Manifest manifest = IndexDirectory.ReadManifest(directory);
            try
            {
                return Load(directory, manifest, options, logger, cancellationToken, openDevice);
            }
            catch (VectorPipeException) when (
                attempt < MaxAttempts && IndexDirectory.ReadManifest(directory).Generation != manifest.Generation)
            {
                // A writer has published a new generation and removed this one's files: load the new one.
            }
        }
    }

    /// <summary>Loads the index of a manifest, published or not.</summary>
    /// <param name="directory">The index directory.</param>
    /// <param name="manifest">Names its files.</param>
    /// <param name="options">How to open it; validated.</param>
    /// <param name="logger">Receives the properties of the open index.</param>
    /// <param name="cancellationToken">Cancels loading.</param>
    /// <param name="openDevice">Opens the device; null: as the options say.</param>
    public static SearchIndex Load(
        string directory, Manifest manifest, OpenOptions options, ILogger logger, CancellationToken cancellationToken,
        DeviceOpener? openDevice = null)
    {
        Func<IReadOnlyList<string>, IDevice> search = openDevice is not null
            ? paths => openDevice(paths, options.Device, logger)
            : options.OpenDevice ?? (paths => DeviceFactory.Open(paths, options.Device, logger));
        var files = new IndexFiles(directory, manifest, CheckedDevice.Of(search), CheckedDevice.Of(options.OpenDevice));
        SearchIndex index = IndexKinds.Of(manifest.Schema).Load(files, ReadOptions(options, openDevice is not null), cancellationToken);
        try
        {
            Action<string, long, long>? report = options.Progress is { } progress
                ? (phase, done, total) => progress.Report(new BuildProgress(phase, done, total))
                : null;
            index = index.WithCaches(PageCaches.Fill(index, options.CachePolicy, options.CacheBytes, report, cancellationToken));
            if (index.CacheStatistics is { Bytes: > 0 } cache)
                SearchLog.Cached(logger, cache.Pages, cache.Bytes, cache.IsResident ? "resident" : options.CachePolicy.ToString());
            IndexSchema schema = manifest.Schema;
            SearchLog.Opened(logger, directory, schema.Count, schema.Dimension, manifest.Generation, index.MemoryBytes, index.Device.Name);
            return index;
        }
        catch
        {
            index.Dispose();
            throw;
        }
    }

    /// <summary>What a manifest says, for users.</summary>
    public static IndexInfo Describe(string directory, Manifest manifest) =>
        IndexKinds.Of(manifest.Schema).Describe(directory, manifest);

    // A simulated device has a time of its own, which must not depend on how often a thread looks.
    private static PendingIoOptions ReadOptions(OpenOptions options, bool isSimulated) => new()
    {
        ReadTimeout = options.ReadTimeout,
        SubmitEvery = options.Device.Tuned.SubmitEvery,
        PollUs = options.Device.Tuned.PollUs ?? (isSimulated ? 0 : null),
    };
}
