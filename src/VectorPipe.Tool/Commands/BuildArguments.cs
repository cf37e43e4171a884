using CommandLine;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of <c>vectorpipe build</c>.</summary>
[Verb("build", HelpText = "Build an index from a file of vectors; keys are row numbers.")]
internal sealed class BuildArguments : CommonArguments
{
    [Option("base", Required = true, HelpText = "The vectors: .fbin, .u8bin, .i8bin, .fvecs, .bvecs or .npy.")]
    public string Base { get; set; } = "";

    [Option("out", Required = true, HelpText = "Folder of the index.")]
    public string Out { get; set; } = "";

    [Option("metric", Default = "l2", HelpText = "l2, ip or cosine.")]
    public string Metric { get; set; } = "";

    [Option("kind", Default = "graph", HelpText =
        "graph (fewest reads a search), or ivf (lists around centroids: a fraction of the build time, a few bytes a vector in memory, " +
        "long reads).")]
    public string Kind { get; set; } = "";

    [Option("lists", HelpText = "(Default: as many as make a list about eight pages) ivf: lists, about.")]
    public int? Lists { get; set; }

    [Option("coded-lists", HelpText = "ivf: searches scan compressed codes on disk, and read vectors for the best of them only.")]
    public bool CodedLists { get; set; }

    [Option("degree", HelpText = "(Default: 64) graph: most links of a node.")]
    public int? Degree { get; set; }

    [Option("memory-per-vector", HelpText =
        "(Default: 32 and a twentieth of a vector's size) Bytes of memory that a vector may cost at search time: its code, and links of " +
        "its page.")]
    public double? MemoryPerVector { get; set; }

    [Option("page-vectors", Default = "auto", HelpText =
        "Form of float32 vectors in pages: auto (float16 where more fit and nothing is lost by it), original or float16. ivf: auto is " +
        "original, and float16 needs --drop-vectors.")]
    public string PageVectors { get; set; } = "";

    [Option("drop-vectors", HelpText =
        "Do not keep the original vectors where pages hold them rounded: look-ups then return the rounded ones.")]
    public bool DropVectors { get; set; }

    [Option("page-size", HelpText = "(Default: the least that fits) Bytes of a page: a multiple of 4,096.")]
    public int? PageSize { get; set; }

    [Option("memory", HelpText =
        "(Default: as much as it takes) Most memory of the build: MiB, or a number with KiB, MiB or GiB behind it. The index is the " +
        "same; the build takes longer.")]
    public string? Memory { get; set; }

    [Option("plan", HelpText = "Print what the build would take and write, and stop.")]
    public bool Plan { get; set; }

    [Option("threads", HelpText =
        "(Default: processors) Worker threads at most; a --memory that is too small for all of them makes do with fewer. The index does " +
        "not depend on them.")]
    public int? Threads { get; set; }

    [Option("seed", Default = 1UL, HelpText = "Seed of every random choice.")]
    public ulong Seed { get; set; }

    [Option("json", HelpText = "Write a report to this file; - for standard output.")]
    public string? Json { get; set; }

    /// <inheritdoc/>
    public override string Verb => "build";

    /// <inheritdoc/>
    protected override IReadOnlyList<string?> Documents => [Json];

    /// <summary>The options, as the library takes them.</summary>
    /// <param name="type">Type of the vectors' components.</param>
    /// <exception cref="UsageException">A name is unknown, or options do not go together.</exception>
    public BuildOptions ToOptions(VectorElementType type)
    {
        bool isIvf = Choices.Kind(Kind) == IndexKind.Ivf;
        UsageException.Require(isIvf || Lists is null, "--lists", Lists, "none for a graph");
        UsageException.Require(isIvf || !CodedLists, "--coded-lists", "given", "none for a graph");
        UsageException.Require(!isIvf || Degree is null, "--degree", Degree, "none for an IVF index");
        var graph = new GraphBuild { PageSize = PageSize };
        return new BuildOptions
        {
            Metric = Choices.Metric(Metric),
            MemoryPerVector = MemoryPerVector,
            MemoryBudget = Memory is null ? null : Choices.Bytes(Memory),
            Threads = Threads ?? Environment.ProcessorCount,
            Seed = Seed,
            PageElementType = PageElementType(PageVectors, type),
            DropVectors = DropVectors,
            Graph = isIvf ? null : Degree is { } degree ? graph with { MaxDegree = degree } : graph,
            Ivf = isIvf ? new IvfBuild { Lists = Lists, Coded = CodedLists, PageSize = PageSize } : null,
        };
    }

    private static VectorElementType? PageElementType(string name, VectorElementType type) => name.ToUpperInvariant() switch
    {
        "AUTO" => null,
        "ORIGINAL" => type,
        "FLOAT16" or "F16" => VectorElementType.Float16,
        _ => throw new UsageException($"--page-vectors: expected one of auto, original, float16; found '{name}'."),
    };
}
