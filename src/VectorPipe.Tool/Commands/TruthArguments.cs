using CommandLine;
using VectorPipe.Tool.Inputs;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of <c>vectorpipe truth</c>.</summary>
[Verb("truth", HelpText = "Find the exact neighbours of queries by comparing each query with every vector.")]
internal sealed class TruthArguments : CommonArguments
{
    [Option("base", Required = true, HelpText = "File of the vectors: " + VectorInput.Formats + ".")]
    public string Base { get; set; } = "";

    [Option("query", Required = true, HelpText = "File of the queries, of the same type and dimension.")]
    public string Query { get; set; } = "";

    [Option("out", Required = true, HelpText = "Truth file to write, with ids and distances; .ivecs has ids only.")]
    public string Out { get; set; } = "";

    [Option('k', Default = 100, HelpText = "Neighbours per query, 1 to the number of vectors.")]
    public int K { get; set; }

    [Option("metric", Default = "l2", HelpText = "Metric: l2, ip (inner product) or cosine; distances are squared L2, -dot and 1-cos.")]
    public string Metric { get; set; } = "";

    [Option("threads", HelpText = "(Default: all processors) Worker threads, 1 to 1024.")]
    public int? Threads { get; set; }
}
