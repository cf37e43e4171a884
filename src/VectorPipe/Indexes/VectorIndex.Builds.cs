using Microsoft.Extensions.Logging;
using VectorPipe.Indexes;

namespace VectorPipe;

/// <content>Builds.</content>
public sealed partial class VectorIndex
{
    /// <summary>Builds an index from vectors.</summary>
    /// <remarks>
    /// A directory has one writer at a time. The new index replaces an old one in one step, when all of it is on disk; until then, and if
    /// the build fails, is cancelled or killed, the old one stays. Vectors and graph are in memory during the build, unless
    /// <see cref="BuildOptions.MemoryBudget"/> bounds it. A source without vectors makes an empty index. The same vectors, keys and
    /// options give the same files, byte for byte, if the directory held as many generations before.
    /// </remarks>
    /// <param name="directory">The index directory; created if it does not exist.</param>
    /// <param name="source">The vectors; read once, to the end.</param>
    /// <param name="options">How to build; null for the defaults.</param>
    /// <param name="progress">Receives the progress; may be null.</param>
    /// <param name="loggerFactory">Receives log messages; null for none.</param>
    /// <param name="cancellationToken">Cancels the build within about a second.</param>
    /// <exception cref="InvalidVectorException">
    /// A vector is not finite, or zero under the cosine metric; a key is used twice; or the source has another number of vectors than its
    /// count.
    /// </exception>
    /// <exception cref="IndexWriteException">The directory cannot be written to, another writer holds it, or the disk is full.</exception>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public static Task<BuildReport> BuildAsync(
        string directory, VectorSource source, BuildOptions? options = null, IProgress<BuildProgress>? progress = null,
        ILoggerFactory? loggerFactory = null, CancellationToken cancellationToken = default) =>
        new VectorIndexBuilder(directory, options, loggerFactory).BuildAsync(source, progress, cancellationToken);

    /// <summary>Computes memory, scratch files and time of a build. Reads no vector and creates nothing.</summary>
    /// <param name="source">The vectors; only their number and shape count.</param>
    /// <param name="options">How to build; null for the defaults.</param>
    /// <returns>The plan, even for a <see cref="BuildOptions.MemoryBudget"/> below the least, which a build refuses.</returns>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public static BuildPlan PlanBuild(VectorSource source, BuildOptions? options = null) =>
        new VectorIndexBuilder(".", options).Plan(source);
}
