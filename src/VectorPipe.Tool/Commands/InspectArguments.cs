using CommandLine;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of <c>vectorpipe inspect</c>.</summary>
[Verb("inspect", HelpText =
    "Show what an index is: its schema, what a vector takes in pages and memory and which option of a build changes it, and its files.")]
internal sealed class InspectArguments : CommonArguments
{
    [Option("index", Required = true, HelpText = "Folder of the index.")]
    public string Index { get; set; } = "";

    public override string Verb => "inspect";
}
