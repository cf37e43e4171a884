using CommandLine;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of <c>vectorpipe backup</c>.</summary>
[Verb("backup", HelpText = "Copy a collection. The copy is a collection like any other.")]
internal sealed class BackupArguments : CommonArguments
{
    [Value(0, MetaName = "DIR", Required = true, HelpText = "Folder of the collection.")]
    public string From { get; set; } = "";

    [Value(1, MetaName = "TO", Required = true, HelpText = "Folder of the copy; must not exist or be empty.")]
    public string To { get; set; } = "";
}
