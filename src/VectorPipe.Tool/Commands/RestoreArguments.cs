using CommandLine;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of <c>vectorpipe restore</c>.</summary>
[Verb("restore", HelpText = "Copy a backup to where a collection is wanted. The backup stays.")]
internal sealed class RestoreArguments : CommonArguments
{
    [Value(0, MetaName = "FROM", Required = true, HelpText = "Folder of the backup.")]
    public string From { get; set; } = "";

    [Value(1, MetaName = "TO", Required = true, HelpText = "Folder of the collection; must not exist or be empty.")]
    public string To { get; set; } = "";
}
