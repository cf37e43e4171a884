using VectorPipe.Model.Build;

namespace VectorPipe;

/// <summary>How an index is built: as a graph, unless <see cref="Ivf"/> is set. Immutable.</summary>
public sealed record BuildOptions
{
    /// <summary>The distance. Default: squared L2.</summary>
    public DistanceMetric Metric { get; init; } = DistanceMetric.L2;

    /// <summary>Bytes of memory of a vector at search time, 1 to 2,048. Default: 32 plus a twentieth of the vector's size.</summary>
    /// <remarks>Its compressed code and its share of the links in memory. Refused for an IVF index without codes.</remarks>
    public double? MemoryPerVector { get; init; }

    /// <summary>Most bytes of memory that the build adds to those of the process. Default: null, no bound.</summary>
    /// <remarks>
    /// Under a budget vectors and links live in scratch files in the index directory, and the build takes longer. The index is the same,
    /// byte for byte, if the budget holds the packing of a million vectors (85 bytes each beside the rest); under a smaller one vectors are
    /// packed in smaller groups. A budget below the least is refused before a vector is read; <see cref="VectorIndex.PlanBuild"/> names
    /// the least.
    /// </remarks>
    public long? MemoryBudget { get; init; }

    /// <summary>Worker threads at most, 1 to 1,024. Default: the number of processors.</summary>
    /// <remarks>
    /// The same vectors, keys, options and seed give the same files with any number of threads. Under a small <see cref="MemoryBudget"/>
    /// there may be fewer.
    /// </remarks>
    public int Threads { get; init; } = Environment.ProcessorCount;

    /// <summary>Seed of every random choice. Default: 1.</summary>
    public ulong Seed { get; init; } = 1;

    /// <summary>
    /// Type of the vectors' components in pages: their own type, or float16 for float32 vectors. Default: null, chosen by the build.
    /// </summary>
    /// <remarks>
    /// <para>By default a graph holds float32 vectors as float16 where more of them fit into a page and rounding hardly changes a
    /// distance; if it does not, the log says why. All other vectors keep their type.</para>
    /// <para>Searches rank by distances from the query, unrounded, to the rounded vectors. Rounding moves a vector x by at most 5e-4 of
    /// its length |x|: a squared distance d² is off by at most about 1e-3 x d x |x|, an inner product with q by 5e-4 x |q| x |x|, a cosine
    /// by 5e-4. Vectors with components beyond 65,504 are refused.</para>
    /// <para>An IVF index keeps no second copy of its vectors: float16 needs <see cref="DropVectors"/>.</para>
    /// </remarks>
    public VectorElementType? PageElementType { get; init; }

    /// <summary>Whether original vectors are dropped where pages hold them as float16. Default: false.</summary>
    /// <remarks>
    /// If they are kept, a file of their own holds them for look-ups and exports; searches do not read it. If they are dropped, look-ups
    /// and exports return rounded vectors. Refused where pages hold the original vectors.
    /// </remarks>
    public bool DropVectors { get; init; }

    /// <summary>Whether the build can be taken up after it was killed or cancelled, or has failed. Default: false.</summary>
    /// <remarks>
    /// It then keeps the results of the long phases of a graph in the index directory: about 270 bytes a vector at the default degree,
    /// twice while it replaces them. The next build of the same vectors, keys, metric and options that has this set goes on behind the last
    /// of them, and gives the same files; <see cref="Threads"/> and <see cref="MemoryBudget"/> may be others. One of anything else, one
    /// without it, and one that finds the kept file damaged begin from the beginning. It is deleted when the index is there. Refused for
    /// an IVF index, and for a collection, whose rebuilds begin from what it has by then.
    /// </remarks>
    public bool Resume { get; init; }

    /// <summary>How a graph is built. Default: null, a graph with the default values.</summary>
    public GraphBuild? Graph { get; init; }

    /// <summary>How an IVF index is built; null builds a graph. Default: null.</summary>
    public IvfBuild? Ivf { get; init; }

    /// <summary>Settings for benchmarks and tests.</summary>
    internal BuildTuning? Tuning { get; init; }

    /// <summary>The graph's options.</summary>
    internal GraphBuild ResolvedGraph => Graph ?? new GraphBuild();

    /// <summary>The tuning.</summary>
    internal BuildTuning ResolvedTuning => Tuning ?? new BuildTuning();
}
