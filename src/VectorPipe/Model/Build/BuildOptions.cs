using VectorPipe.Model.Build;

namespace VectorPipe;

/// <summary>How an index is built: as a graph, unless <see cref="Ivf"/> is set. Immutable.</summary>
public sealed record BuildOptions
{
    /// <summary>How near vectors are. Default: squared L2.</summary>
    public DistanceMetric Metric { get; init; } = DistanceMetric.L2;

    /// <summary>
    /// Bytes of memory that a vector may cost at search time, 1 to 2,048. Default: 32, and a twentieth of the vector's size.
    /// </summary>
    /// <remarks>Divided between the vector's compressed code and its share of the links in memory. Refused for an IVF index without
    /// codes.</remarks>
    public double? MemoryPerVector { get; init; }

    /// <summary>
    /// Most bytes of memory of a build, above what the process holds before it. Default: null, as many as the data asks for.
    /// </summary>
    /// <remarks>
    /// Under a budget vectors and links live in scratch files in the index directory. The index is the same, byte for byte, only later,
    /// as long as the budget holds the packing of a million vectors
    /// (about 85 bytes each beside the rest); below that, vectors are packed in smaller groups. A budget below the least is refused
    /// before anything is read; <see cref="VectorIndexBuilder.Plan"/> names the least.
    /// Needs Linux.
    /// </remarks>
    public long? MemoryBudget { get; init; }

    /// <summary>Worker threads at most, 1 to 1,024. Default: the number of processors.</summary>
    /// <remarks>The same vectors, keys, options and seed give the same files at any number of threads. A small <see cref="MemoryBudget"/>
    /// may have room for fewer.</remarks>
    public int Threads { get; init; } = Environment.ProcessorCount;

    /// <summary>Seed of every random choice. Default: 1.</summary>
    public ulong Seed { get; init; } = 1;

    /// <summary>
    /// Type of the vectors' components in pages: their own type, or float16 for float32 vectors. Default: null, chosen by the build.
    /// </summary>
    /// <remarks>
    /// <para>By default a graph of float32 vectors has float16 in pages where more of them fit and rounding changes next to nothing; the
    /// build logs why it did not round. All others have their own type.</para>
    /// <para>Searches rank by distances to the rounded vectors, the query is not rounded. Rounding moves a vector x by at most 5e-4 of
    /// its length |x|: a squared distance d² is off by at most about 1e-3 x d x |x|,
    /// an inner product with q by 5e-4 x |q| x |x|, a cosine by 5e-4. Vectors with components beyond 65,504 are refused.</para>
    /// <para>An IVF index keeps no second copy of its vectors: float16 needs <see cref="DropVectors"/>.</para>
    /// </remarks>
    public VectorElementType? PageElementType { get; init; }

    /// <summary>Whether original vectors are dropped where pages hold them as float16. Default: false.</summary>
    /// <remarks>
    /// Otherwise a file of their own holds them for look-ups and exports; searches do not touch it. If they are dropped, look-ups and
    /// exports return rounded values.
    /// Refused where pages hold the original vectors in any case.
    /// </remarks>
    public bool DropVectors { get; init; }

    /// <summary>How a graph is built. Default: null, a graph with the default values.</summary>
    public GraphBuild? Graph { get; init; }

    /// <summary>How an IVF index is built; null builds a graph. Default: null.</summary>
    public IvfBuild? Ivf { get; init; }

    /// <summary>What only benchmarks and tests set.</summary>
    internal BuildTuning? Tuning { get; init; }

    /// <summary>The graph's options.</summary>
    internal GraphBuild ResolvedGraph => Graph ?? new GraphBuild();

    /// <summary>The tuning.</summary>
    internal BuildTuning ResolvedTuning => Tuning ?? new BuildTuning();
}
