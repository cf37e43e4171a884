using CommandLine;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of <c>vectorpipe inspect</c>.</summary>
[Verb("inspect", HelpText =
    "Show the schema of an index, its files and calibration, and the bytes of a vector in pages and memory with the options for them.")]
internal sealed class InspectArguments : CommonArguments
{
    [Option("index", Required = true, HelpText = "Folder of the index.")]
    public string Index { get; set; } = "";
}
