using CommandLine;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of <c>vectorpipe export</c>.</summary>
[Verb("export", HelpText = "Write vectors, keys and graph of an index to files that other tools read.")]
internal sealed class ExportArguments : CommonArguments
{
    [Option("index", Required = true, HelpText = "Folder of the index.")]
    public string Index { get; set; } = "";

    [Option("out", Required = true, HelpText =
        "Prefix of the files: OUT.vectors.fbin (.u8bin, .i8bin, .npy), OUT.keys.npy, OUT.graph.bin.")]
    public string Out { get; set; } = "";

    [Option("with-graph", HelpText = "(Default: on for a graph, off for ivf) Write the graph: on or off; only off for ivf.")]
    public string? WithGraph { get; set; }
}
