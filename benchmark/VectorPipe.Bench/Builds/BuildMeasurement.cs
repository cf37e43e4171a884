using Microsoft.Extensions.Logging;
using VectorPipe.Indexes;

namespace VectorPipe.Bench.Builds;

/// <summary>The results and costs of a build.</summary>
/// <param name="MemoryBeforeBytes">Resident memory of the process before the build.</param>
/// <param name="MemoryPeakBytes">Peak of the resident memory during the build.</param>
/// <param name="Io">Bytes that the process read and wrote; null if the operating system does not count them.</param>
internal sealed record BuildMeasurement(
    BuildVariant Variant, BuildReport Report, long MemoryBeforeBytes, long MemoryPeakBytes, ProcessIo? Io,
    IReadOnlyList<IndexFileHash> Files)
{
    /// <summary>Memory of the build: the peak less the memory before.</summary>
    public long OverheadBytes => MemoryPeakBytes - MemoryBeforeBytes;

    /// <summary>Builds an index of a file of vectors in this process, in a new directory.</summary>
    public static async Task<BuildMeasurement> RunAsync(
        BuildVariant variant, BuildOptions options, string vectors, string directory, IProgress<BuildProgress>? progress,
        ILoggerFactory? logging, CancellationToken cancellationToken)
    {
        await using VectorSource source = await VectorSource.OpenFileAsync(vectors, cancellationToken);
        var builder = new VectorIndexBuilder(directory, options, logging) { GraphBuilder = variant.GraphBuilder };

        // A small budget may allow fewer threads.
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
