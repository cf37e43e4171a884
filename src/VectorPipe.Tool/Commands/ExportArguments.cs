using CommandLine;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of <c>vectorpipe export</c>.</summary>
[Verb("export", HelpText = "Write the vectors, keys and graph of an index to files that other tools read; an index of lists has no graph.")]
internal sealed class ExportArguments : CommonArguments
{
    [Option("index", Required = true, HelpText = "Folder of the index.")]
    public string Index { get; set; } = "";

    [Option("out", Required = true, HelpText =
        "Beginning of the files' names: OUT.vectors.fbin (.u8bin, .i8bin, .npy), OUT.keys.npy, OUT.graph.bin.")]
    public string Out { get; set; } = "";

    [Option("with-graph", HelpText =
        "on or off: whether the graph is written. (Default: on; off for an index of lists, where on is refused)")]
    public string? WithGraph { get; set; }

    public override string Verb => "export";
}
