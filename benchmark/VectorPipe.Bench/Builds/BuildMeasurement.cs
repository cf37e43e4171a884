using Microsoft.Extensions.Logging;

namespace VectorPipe.Bench.Builds;

/// <summary>What a build gave and cost.</summary>
/// <param name="Variant">What was built.</param>
/// <param name="Report">What the build itself says.</param>
/// <param name="MemoryBeforeBytes">Bytes of the process that were resident before.</param>
/// <param name="MemoryPeakBytes">Most bytes of the process that were resident meanwhile.</param>
/// <param name="Io">What the process read and wrote meanwhile; null where the operating system does not say.</param>
/// <param name="Files">The files of the index.</param>
internal sealed record BuildMeasurement(
    BuildVariant Variant, BuildReport Report, long MemoryBeforeBytes, long MemoryPeakBytes, ProcessIo? Io,
    IReadOnlyList<IndexFileHash> Files)
{
    /// <summary>Memory of the build: the peak above what was held before.</summary>
    public long OverheadBytes => MemoryPeakBytes - MemoryBeforeBytes;

    /// <summary>Builds an index in this process and counts.</summary>
    /// <param name="variant">What is built.</param>
    /// <param name="options">How.</param>
    /// <param name="vectors">The file of vectors; streamed.</param>
    /// <param name="directory">The index directory; does not exist yet.</param>
    /// <param name="progress">Told how far it is; may be null.</param>
    /// <param name="logging">Receives log messages; null for none.</param>
    /// <param name="cancellationToken">Ends the build.</param>
    public static async Task<BuildMeasurement> RunAsync(
        BuildVariant variant, BuildOptions options, string vectors, string directory, IProgress<BuildProgress>? progress,
        ILoggerFactory? logging,
        CancellationToken cancellationToken)
    {
        await using VectorSource source = await VectorSource.OpenFileAsync(vectors, cancellationToken);
        var builder = new VectorIndexBuilder(directory, options, logging) { GraphBuilder = variant.GraphBuilder };

        // A budget may have room for fewer threads than were asked for.
        variant = variant with { Threads = builder.Plan(source).Threads };
        using var memory = new MemorySampler();
        ProcessIo? before = ProcessIo.Read();
        BuildReport report = await builder.BuildAsync(source, progress, cancellationToken);
        ProcessIo? after = ProcessIo.Read();
        long peakBytes = memory.Stop();
        IReadOnlyList<IndexFileHash> files = await IndexFileHash.OfDirectoryAsync(directory, cancellationToken);
        return new BuildMeasurement(
            variant, report, memory.BeforeBytes, peakBytes, before is { } first ? after?.Since(first) : null, files);
    }
}
