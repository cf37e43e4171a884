using CommandLine;
using VectorPipe.Tool.Inputs;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of <c>vectorpipe build</c>.</summary>
[Verb("build", HelpText = "Build an index from a file of vectors.")]
internal sealed class BuildArguments : CommonArguments
{
    [Option("base", Required = true, HelpText = "File of the vectors: " + VectorInput.Formats + ".")]
    public string Base { get; set; } = "";

    [Option("keys", HelpText =
        "(Default: the column key, or row numbers) File of the keys: one a line, or .npy of integers.")]
    public string? Keys { get; set; }

    [Option("out", Required = true, HelpText = "Folder of the index.")]
    public string Out { get; set; } = "";

    [Option("metric", Default = "l2", HelpText = "Metric: l2, ip (inner product) or cosine.")]
    public string Metric { get; set; } = "";

    [Option("kind", Default = "graph", HelpText =
        "Kind of index: graph (fewest reads per search), or ivf (lists around centroids: fast to build, little memory, long reads).")]
    public string Kind { get; set; } = "";

    [Option("lists", Hidden = true, HelpText = "(Default: lists of about eight pages) ivf: approximate number of lists.")]
    public int? Lists { get; set; }

    [Option("coded-lists", Hidden = true, HelpText = "ivf: searches scan codes on disk, and read only the vectors of the best codes.")]
    public bool CodedLists { get; set; }

    [Option("degree", Hidden = true, HelpText = "(Default: 64) graph: most links per node.")]
    public int? Degree { get; set; }

    [Option("memory-per-vector", HelpText =
        "(Default: 32, plus 5 % of a vector's size) Bytes of memory per vector while the index is open: its code and its share of the " +
        "page graph.")]
    public double? MemoryPerVector { get; set; }

    [Option("page-vectors", Hidden = true, Default = "auto", HelpText =
        "Type of float32 vectors in pages: auto (float16 if more then fit into a page), original or float16. ivf: auto is original, and " +
        "float16 needs --drop-vectors.")]
    public string PageVectors { get; set; } = "";

    [Option("drop-vectors", Hidden = true, HelpText =
        "Do not keep original vectors that pages hold rounded; look-ups then return the rounded ones.")]
    public bool DropVectors { get; set; }

    [Option("page-size", Hidden = true, HelpText = "(Default: the smallest that fits) Bytes per page: a multiple of 4096.")]
    public int? PageSize { get; set; }

    [Option("memory", HelpText =
        "(Default: unlimited) Memory budget of the build in MiB, or with a unit: 512KiB, 2GiB. A small budget makes the build slower; " +
        "the index stays the same.")]
    public string? Memory { get; set; }

    [Option("resume", HelpText =
        "graph: keep the results of long phases in the folder, and go on from those of a build that was killed, cancelled or has failed. " +
        "The index is the same.")]
    public bool Resume { get; set; }

    [Option("plan", HelpText = "Print the expected memory, time and disk space, and stop.")]
    public bool Plan { get; set; }

    [Option("threads", HelpText =
        "(Default: all processors) Most worker threads; a small --memory may allow fewer. The index does not depend on them.")]
    public int? Threads { get; set; }

    [Option("seed", Hidden = true, Default = 1UL, HelpText = "Seed of all random choices.")]
    public ulong Seed { get; set; }

    /// <summary>The options of the library.</summary>
    public BuildOptions ToOptions(VectorElementType type)
    {
        bool isIvf = Choices.Kind(Kind) == IndexKind.Ivf;
        UsageException.Require(isIvf || Lists is null, "--lists", Lists, "none for a graph");
        UsageException.Require(isIvf || !CodedLists, "--coded-lists", "given", "none for a graph");
        UsageException.Require(!isIvf || !Resume, "--resume", "given", "none for an IVF index");
        UsageException.Require(!isIvf || Degree is null, "--degree", Degree, "none for an IVF index");
        var graph = new GraphBuild { PageSize = PageSize };
        return new BuildOptions
        {
            Metric = Choices.Metric(Metric),
            MemoryPerVector = MemoryPerVector,
            MemoryBudget = Memory is null ? null : Choices.Bytes(Memory),
            Resume = Resume,
            Threads = Threads ?? Environment.ProcessorCount,
            Seed = Seed,
            PageElementType = Choices.PageElementType(PageVectors, type),
            DropVectors = DropVectors,
            Graph = isIvf ? null : Degree is { } degree ? graph with { MaxDegree = degree } : graph,
            Ivf = isIvf ? new IvfBuild { Lists = Lists, Coded = CodedLists, PageSize = PageSize } : null,
        };
    }
}
