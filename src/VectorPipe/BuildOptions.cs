using VectorPipe.Building.Layout;
using VectorPipe.Devices;
using VectorPipe.Diagnostics;
using VectorPipe.Numerics;
using VectorPipe.Quantization;
using VectorPipe.Storage;

namespace VectorPipe;

/// <summary>How an index is built. Immutable.</summary>
public sealed partial record BuildOptions
{
    /// <summary>How near vectors are. Default: squared L2.</summary>
    public DistanceMetric Metric { get; init; } = DistanceMetric.L2;

    /// <summary>R: most links of a node, 4 to 512. More links cost disk and build time and save reads. Default: 64.</summary>
    public int MaxDegree { get; init; } = 64;

    /// <summary>How the graph is made. Default: <see cref="GraphAlgorithm.Partitioned"/>.</summary>
    public GraphAlgorithm Algorithm { get; init; } = GraphAlgorithm.Partitioned;

    /// <summary>
    /// L of the build: candidates that the build's own searches keep, at least <see cref="MaxDegree"/>, up to 4,096. With <see cref="GraphAlgorithm.Vamana"/> these
    /// are the searches that every link comes from: more makes better links for build time, about in proportion. With <see cref="GraphAlgorithm.Partitioned"/>
    /// they are those of repair alone, for the few nodes that would be out of reach: more changes next to nothing. Default: 100.
    /// </summary>
    public int ListSize { get; init; } = 100;

    /// <summary>Alpha: how much nearer a neighbour must be for a link to be left out, 1 to 2. Default: 1.2.</summary>
    public float Alpha { get; init; } = 1.2f;

    /// <summary>What a page of the index holds. Default: <see cref="IndexLayout.Merged"/>; <see cref="IndexLayout.Plain"/> with <see cref="GraphAlgorithm.Vamana"/>.</summary>
    public IndexLayout? Layout { get; init; }

    /// <summary>
    /// What a vector may cost in memory at search time, bytes: divided between its compressed code and, in the merged layout, the links of its page that are held in memory. 1 to 2,048.
    /// Default: 32, and a twentieth of the vector's own size.
    /// </summary>
    public double? MemoryPerVector { get; init; }

    /// <summary>Bytes of a compressed code, 1 to the dimension, at most 1,024. Default: what <see cref="MemoryPerVector"/> leaves beside the links that are held in memory.</summary>
    public int? CodeBytes { get; init; }

    /// <summary>In which form pages hold float32 vectors; others are held as they are given. Default: <see cref="PageVectors.Auto"/>.</summary>
    public PageVectors PageVectors { get; init; } = PageVectors.Auto;

    /// <summary>
    /// Whether vectors that pages hold rounded are kept in that form alone. Else a file of their own holds them as they were given, for look-ups and exports; searches do not touch it.
    /// If they are dropped, look-ups and exports tell the rounded values. No effect on pages that hold vectors as they are given. Default: false.
    /// </summary>
    public bool DropVectors { get; init; }

    /// <summary>Bytes of a page of the merged layout: a multiple of 4,096, up to 1,048,576. Default: the least that holds a node with 55 links, or as many nodes as are asked for.</summary>
    public int? PageSize { get; init; }

    /// <summary>Nodes of a page of the merged layout, 1 to 4,096. Default: as many as fit with 55 links each; of ten or more, three quarters.</summary>
    public int? NodesPerPage { get; init; }

    /// <summary>Vectors of other pages that a page of the merged layout repeats, 0 to 4,096. Default: two in the place of every node that would fit besides; none if fewer than ten nodes fit.</summary>
    public int? ReplicasPerPage { get; init; }

    /// <summary>
    /// Merged layout: bytes of memory that a vector's share of the page graph takes, that is of the links of pages that are held in memory; 0 to 64, 0 for none.
    /// Default: what <see cref="MemoryPerVector"/> leaves beside the code; 5 are left for it.
    /// </summary>
    public double? PageGraphBytes { get; init; }

    /// <summary>
    /// How vectors are compressed. <see cref="CodeKind.Opq"/> loses less at equal bytes, for a longer training; vectors of more than 2,048 components are coded
    /// by <see cref="CodeKind.Pq"/> all the same, and the build logs a warning. <see cref="CodeKind.RaBitQ"/> needs codes of an eighth of a byte a component, and 4 bytes; with fewer the options are refused.
    /// Default: <see cref="CodeKind.Opq"/>.
    /// </summary>
    public CodeKind Code { get; init; } = CodeKind.Opq;

    /// <summary>
    /// Worker threads at most, 1 to 1,024: a <see cref="MemoryBudget"/> that is too small for all of them makes do with fewer. The same vectors, keys, options and seed give the same files, byte for byte, at any number of threads
    /// (<see cref="GraphAlgorithm.Partitioned"/>) or at one thread (<see cref="GraphAlgorithm.Vamana"/>). Default: the number of processors.
    /// </summary>
    public int Threads { get; init; } = Environment.ProcessorCount;

    /// <summary>
    /// Most bytes of memory that a build may take, above what the process holds when it begins; null: as many as the data asks for. Under a budget, vectors and links live in
    /// scratch files in the index directory, and the index comes out the same, byte for byte, only later; of the merged layout as long as the budget holds the packing of a million vectors (about 85 bytes each beside
    /// the rest): below it vectors are packed in smaller groups, and those at the borders find fewer of their neighbours in their pages. A graph needs <see cref="GraphAlgorithm.Partitioned"/>, and all need Linux; a budget
    /// below what the data takes at the least is refused with that figure, before anything is read; <see cref="VectorIndexBuilder.Plan"/> tells it. Default: null.
    /// </summary>
    public long? MemoryBudget { get; init; }

    /// <summary>Seed of every random choice. Default: 1.</summary>
    public ulong Seed { get; init; } = 1;

    /// <summary>The layout, if it was left open the default one.</summary>
    internal IndexLayout ResolvedLayout => Layout ?? (Algorithm == GraphAlgorithm.Partitioned ? IndexLayout.Merged : IndexLayout.Plain);

    /// <summary>What is given of a page's content.</summary>
    internal PageContent PageContent(VectorElementType type) => new()
    {
        Vectors = PageVectors switch
        {
            PageVectors.Auto => null,
            PageVectors.Float16 when type == VectorElementType.Float32 => VectorElementType.Float16,
            _ => type,
        },
        PageSize = PageSize,
        NodesPerPage = NodesPerPage,
        ReplicasPerPage = ReplicasPerPage,
    };

    /// <summary>How the memory of a vector is divided.</summary>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    internal MemorySplit Validate(VectorElementType type, int dimension)
    {
        Require.That(Enum.IsDefined(Metric), nameof(Metric), Metric, "L2, InnerProduct or Cosine");
        Require.That(MaxDegree is >= 4 and <= SchemaLimits.MaxDegree, nameof(MaxDegree), MaxDegree, $"4 to {SchemaLimits.MaxDegree}");
        Require.That(Enum.IsDefined(Algorithm), nameof(Algorithm), Algorithm, "Partitioned or Vamana");
        Require.That(Enum.IsDefined(Code), nameof(Code), Code, "Pq, Opq or RaBitQ");
        Require.That(ListSize >= MaxDegree && ListSize <= 4096, nameof(ListSize), ListSize, $"the degree ({MaxDegree}) to 4,096");
        Require.That(Alpha is >= 1f and <= 2f, nameof(Alpha), Alpha, "1 to 2");
        Require.That(Threads is >= 1 and <= 1024, nameof(Threads), Threads, "1 to 1,024");
        Require.That(MemoryBudget is null or > 0, nameof(MemoryBudget), MemoryBudget, "above 0");
        Require.That(MemoryBudget is null || Kind == IndexKind.Ivf || Algorithm == GraphAlgorithm.Partitioned, nameof(Algorithm), Algorithm, "Partitioned, if there is a memory budget");
        if (MemoryBudget is not null && !Libc.IsSupported)
            throw new PlatformNotSupportedException("A build within a memory budget needs Linux on x64 or arm64.");
        Require.That(Layout is null || Enum.IsDefined(Layout.Value), nameof(Layout), Layout, "Merged or Plain");
        Require.That(Algorithm == GraphAlgorithm.Partitioned || Layout != IndexLayout.Merged, nameof(Layout), Layout, "Plain, if the algorithm is Vamana");
        Require.That(MemoryPerVector is null or (>= 1 and <= 2048), nameof(MemoryPerVector), MemoryPerVector, "1 to 2,048");
        Require.That(CodeBytes is null || (CodeBytes >= 1 && CodeBytes <= Math.Min(dimension, 1024)), nameof(CodeBytes), CodeBytes, $"1 to {Math.Min(dimension, 1024)}, for vectors of dimension {dimension}");
        Require.That(Enum.IsDefined(PageVectors), nameof(PageVectors), PageVectors, "Auto, AsGiven or Float16");
        Require.That(PageGraphBytes is null or (>= 0 and <= 64), nameof(PageGraphBytes), PageGraphBytes, "0 to 64");
        ValidateKind();
        PageContent content = PageContent(type);
        content.Validate();
        if (ResolvedLayout == IndexLayout.Plain)
        {
            const string expected = "none with the plain layout";
            Require.That(PageVectors != PageVectors.Float16 || type != VectorElementType.Float32, nameof(PageVectors), PageVectors, "Auto or AsGiven with the plain layout");
            Require.That(PageSize is null, nameof(PageSize), PageSize, expected);
            Require.That(NodesPerPage is null, nameof(NodesPerPage), NodesPerPage, expected);
            Require.That(ReplicasPerPage is null, nameof(ReplicasPerPage), ReplicasPerPage, expected);
            Require.That(PageGraphBytes is null, nameof(PageGraphBytes), PageGraphBytes, expected);
        }

        MemorySplit split = MemorySplit.Of(MemoryPerVector ?? MemorySplit.DefaultMemory(type, dimension), dimension, CodeBytes, PageGraphBytes);
        if (Code == CodeKind.RaBitQ)
            RequireGrid(dimension, split.CodeBytes);
        return split;
    }

    // Every component has two levels at the least.
    private static void RequireGrid(int dimension, int codeBytes)
    {
        int least = RaBitQuantizer.LeastCodeBytes(dimension), most = Math.Min(dimension, 1024);
        Require.That(least <= most, nameof(Code), CodeKind.RaBitQ, $"Pq or Opq, for vectors of dimension {dimension}: codes of RaBitQ would take {least} bytes, of at most {most}");
        Require.That(
            codeBytes >= least, nameof(CodeBytes), codeBytes, $"{least} or more, for codes of RaBitQ of vectors of dimension {dimension}; give {nameof(CodeBytes)} or more of {nameof(MemoryPerVector)}, or take Pq or Opq");
    }
}
