using CommandLine;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of <c>vectorpipe calibrate</c>.</summary>
[Verb("calibrate", HelpText =
    "Measure an index with queries of yours, or made from its vectors: recall and reads by threshold (graph), or recall and pages by " +
    "probes (ivf).")]
internal sealed class CalibrateArguments : CommonArguments
{
    [Option("index", Required = true, HelpText = "Folder of the index.")]
    public string Index { get; set; } = "";

    [Option("query", HelpText =
        "File of 100 to 100000 queries, of the index's type and dimension, in a format of build: for queries that are unlike the " +
        "vectors. (Default: queries are made from vectors of the index)")]
    public string? Query { get; set; }

    [Option("queries", HelpText = "(Default: 400) Number of queries that are made, 100 to 100000.")]
    public int? Queries { get; set; }
}
