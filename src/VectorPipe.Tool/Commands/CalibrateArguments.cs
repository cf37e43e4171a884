using CommandLine;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of <c>vectorpipe calibrate</c>.</summary>
[Verb("calibrate", HelpText =
    "Measure an index with queries made from its vectors: recall and reads by threshold (graph), or recall and pages by probes (ivf).")]
internal sealed class CalibrateArguments : CommonArguments
{
    [Option("index", Required = true, HelpText = "Folder of the index.")]
    public string Index { get; set; } = "";

    [Option("queries", Default = 400, HelpText = "Number of queries, 100 to 100000.")]
    public int Queries { get; set; }
}
