using CommandLine;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of <c>vectorpipe inspect</c>.</summary>
[Verb("inspect", HelpText =
    "Show the schema of a collection, and of an index its files and calibration, and the bytes of a vector in pages and memory with the " +
    "options for them.")]
internal sealed class InspectArguments : CommonArguments, IStoreArguments
{
    [Value(0, MetaName = "DIR", HelpText = "Folder of the collection or the index.")]
    public string? Directory { get; set; }

    [Option("index", HelpText = "The same as DIR.")]
    public string? Index { get; set; }

    /// <summary>The folder, whichever way it was given.</summary>
    public string Folder => FolderOf(Directory, Index);
}
