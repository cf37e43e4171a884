using CommandLine;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of <c>vectorpipe verify</c>.</summary>
[Verb("verify", HelpText = "Check every page of every file of a collection or an index.")]
internal sealed class VerifyArguments : CommonArguments, IStoreArguments
{
    [Value(0, MetaName = "DIR", HelpText = "Folder of the collection or the index.")]
    public string? Directory { get; set; }

    [Option("index", HelpText = "The same as DIR.")]
    public string? Index { get; set; }

    [Option("threads", HelpText = "(Default: all processors) Worker threads, 1 to 1024.")]
    public int? Threads { get; set; }

    /// <summary>The folder, whichever way it was given.</summary>
    public string Folder => FolderOf(Directory, Index);
}
