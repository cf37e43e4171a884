using CommandLine;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of <c>vectorpipe generate</c>.</summary>
[Verb("generate", HelpText = "Write synthetic vectors in clusters, queries, and their exact neighbours.")]
internal sealed class GenerateArguments : CommonArguments
{
    [Option("out", Required = true, HelpText =
        "An existing folder or a name ending in '/', for base, query and truth.bin; or else a prefix, for PREFIX.base, PREFIX.query and " +
        "PREFIX.truth.bin.")]
    public string Out { get; set; } = "";

    [Option("points", Default = 100_000, HelpText = "Number of vectors, 1 or more.")]
    public int Points { get; set; }

    [Option("queries", Default = 1_000, HelpText = "Number of queries, 1 or more.")]
    public int Queries { get; set; }

    [Option("dimension", Default = 128, HelpText = "Components per vector, 1 to 32768.")]
    public int Dimension { get; set; }

    [Option("type", Default = "uint8", HelpText = "Type of a component: uint8 (.u8bin), int8 (.i8bin), float32 (.fbin) or float16 (.npy).")]
    public string Type { get; set; } = "";

    [Option("clusters", Hidden = true, Default = 1_000, HelpText = "Number of Gaussian clusters, 1 to 1000000.")]
    public int Clusters { get; set; }

    [Option("seed", Hidden = true, Default = 1UL, HelpText = "Seed: the same seed gives the same files.")]
    public ulong Seed { get; set; }

    [Option('k', Default = 100, HelpText = "Exact neighbours per query, 1 to the number of vectors.")]
    public int K { get; set; }

    [Option("metric", Default = "l2", HelpText = "Metric of the neighbours: l2, ip (inner product) or cosine.")]
    public string Metric { get; set; } = "";
}
