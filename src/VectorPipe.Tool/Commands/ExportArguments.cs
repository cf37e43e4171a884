using CommandLine;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of <c>vectorpipe export</c>.</summary>
[Verb("export", HelpText = "Write the vectors, keys and graph of an index to files that other tools read.")]
internal sealed class ExportArguments : CommonArguments
{
    [Option("index", Required = true, HelpText = "Folder of the index.")]
    public string Index { get; set; } = "";

    [Option("out", Required = true, HelpText = "What the files' names begin with: OUT.vectors.fbin (.u8bin, .i8bin, .npy), OUT.keys.npy, OUT.graph.bin.")]
    public string Out { get; set; } = "";

    public override string Verb => "export";
}
