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

    [Option("kind", Default = "graph", HelpText = "What is built: graph (fewest reads a search), or ivf (lists around centroids: a fraction of the build time, a few bytes a vector in memory, long reads).")]
    public string Kind { get; set; } = "";

    [Option("lists", HelpText = "(Default: as many as make a list about eight pages) ivf: lists, about.")]
    public int? Lists { get; set; }

    [Option("coded-lists", HelpText = "ivf: searches scan compressed codes on disk, and read vectors for the best of them only.")]
    public bool CodedLists { get; set; }

    [Option("algorithm", Default = "partitioned", HelpText = "How the graph is made: partitioned (fast) or vamana (two passes of insertions).")]
    public string Algorithm { get; set; } = "";

    [Option("degree", Default = 64, HelpText = "R: most links of a node.")]
    public int Degree { get; set; }

    [Option("build-list-size", Default = 100, HelpText = "L of the build: of vamana's insertions; partitioned uses it for repairs alone.")]
    public int BuildListSize { get; set; }

    [Option("alpha", Default = 1.2f, HelpText = "Pruning factor, 1 to 2.")]
    public float Alpha { get; set; }

    [Option("layout", HelpText = "(Default: merged; plain with vamana) What a page holds: merged (near vectors, replicas, links out of the page) or plain (vectors, each with its own links).")]
    public string? Layout { get; set; }

    [Option("memory-per-vector", HelpText = "(Default: 32 and a twentieth of a vector's size) Bytes of memory that a vector may cost at search time: its code, and links of its page.")]
    public double? MemoryPerVector { get; set; }

    [Option("code-bytes", HelpText = "(Default: what --memory-per-vector leaves beside the links) Bytes of a vector's code in memory.")]
    public int? CodeBytes { get; set; }

    [Option("code", Default = "opq", HelpText = "How vectors are compressed: pq, opq (a learnt rotation first: less loss, longer training) or rabitq (a random rotation and a few levels a component: nothing to train).")]
    public string Code { get; set; } = "";

    [Option("page-vectors", Default = "auto", HelpText = "How pages hold float32 vectors: auto (float16 where more fit and nothing is lost by it), given or float16. ivf: auto is given, and float16 needs --drop-vectors.")]
    public string PageVectors { get; set; } = "";

    [Option("drop-vectors", HelpText = "Do not keep vectors as they were given where pages hold them rounded: look-ups then tell the rounded ones.")]
    public bool DropVectors { get; set; }

    [Option("page-size", HelpText = "(Default: the least that fits) Bytes of a page: a multiple of 4,096.")]
    public int? PageSize { get; set; }

    [Option("nodes-per-page", HelpText = "(Default: as many as fit with 55 links each, less replicas) Vectors that a page owns.")]
    public int? NodesPerPage { get; set; }

    [Option("replicas-per-page", HelpText = "(Default: by the size of a vector) Vectors of other pages that a page repeats, at most.")]
    public int? ReplicasPerPage { get; set; }

    [Option("page-graph-bytes", HelpText = "(Default: what --memory-per-vector leaves beside the code) Bytes of memory a vector for links of pages.")]
    public double? PageGraphBytes { get; set; }

    [Option("memory", HelpText = "(Default: as much as it takes) Most memory of the build: MiB, or a number with KiB, MiB or GiB behind it. The index is the same; the build takes longer.")]
    public string? Memory { get; set; }

    [Option("plan", HelpText = "Print what the build would take and write, and stop.")]
    public bool Plan { get; set; }

    [Option("threads", HelpText = "(Default: processors) Worker threads at most; a --memory that is too small for all of them makes do with fewer. Builds are reproducible at any number of them (partitioned) or at one (vamana).")]
    public int? Threads { get; set; }

    [Option("seed", Default = 1UL, HelpText = "Seed of every random choice.")]
    public ulong Seed { get; set; }

    [Option("json", HelpText = "Write a report to this file.")]
    public string? Json { get; set; }

    public override string Verb => "build";
}
