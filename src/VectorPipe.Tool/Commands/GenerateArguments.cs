using CommandLine;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of <c>vectorpipe generate</c>.</summary>
[Verb("generate", HelpText = "Write clustered synthetic vectors, queries and their exact neighbours.")]
internal sealed class GenerateArguments : CommonArguments
{
    [Option("out", Required = true, HelpText =
        "An existing folder, or a name ending in '/': base, query and truth.bin in it. Else a prefix: PREFIX.base, PREFIX.query, " +
        "PREFIX.truth.bin.")]
    public string Out { get; set; } = "";

    [Option("points", Default = 100_000, HelpText = "Vectors to index.")]
    public int Points { get; set; }

    [Option("queries", Default = 1_000, HelpText = "Vectors to search for.")]
    public int Queries { get; set; }

    [Option("dimension", Default = 128, HelpText = "Components of a vector.")]
    public int Dimension { get; set; }

    [Option("type", Default = "uint8", HelpText = "uint8 (.u8bin), int8 (.i8bin), float32 (.fbin) or float16 (.npy).")]
    public string Type { get; set; } = "";

    [Option("clusters", Default = 1_000, HelpText = "Gaussian clusters that the vectors are drawn from.")]
    public int Clusters { get; set; }

    [Option("seed", Default = 1UL, HelpText = "The same seed gives the same files.")]
    public ulong Seed { get; set; }

    [Option('k', Default = 100, HelpText = "Exact neighbours of each query in the truth file.")]
    public int K { get; set; }

    [Option("metric", Default = "l2", HelpText = "l2, ip or cosine.")]
    public string Metric { get; set; } = "";

    public override string Verb => "generate";
}
