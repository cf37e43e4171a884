using CommandLine;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of <c>vectorpipe truth</c>.</summary>
[Verb("truth", HelpText = "Find the exact neighbours of queries by comparing each with every vector.")]
internal sealed class TruthArguments : CommonArguments
{
    [Option("base", Required = true, HelpText = "The vectors.")]
    public string Base { get; set; } = "";

    [Option("query", Required = true, HelpText = "The queries, of the same type and dimension.")]
    public string Query { get; set; } = "";

    [Option("out", Required = true, HelpText = "The truth file: ids and distances; .ivecs for ids only.")]
    public string Out { get; set; } = "";

    [Option('k', Default = 100, HelpText = "Neighbours of each query.")]
    public int K { get; set; }

    [Option("metric", Default = "l2", HelpText = "l2, ip or cosine; distances are squared L2, -dot and 1-cos.")]
    public string Metric { get; set; } = "";

    [Option("threads", HelpText = "(Default: processors) Worker threads.")]
    public int? Threads { get; set; }

    public override string Verb => "truth";
}
