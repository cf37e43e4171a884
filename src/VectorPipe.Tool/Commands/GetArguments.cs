using CommandLine;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of <c>vectorpipe get</c>.</summary>
[Verb("get", HelpText = "Show the records of keys of a collection, or the vectors of keys of an index.")]
internal sealed class GetArguments : DeviceArguments
{
    [Value(0, MetaName = "DIR", HelpText = "Folder of the collection or the index.")]
    public string? Directory { get; set; }

    [Option("index", HelpText = "The same as DIR.")]
    public string? Index { get; set; }

    [Option("key", Required = true, Separator = ',', HelpText = "Key to look up; several with commas.")]
    public IEnumerable<string> Keys { get; set; } = [];

    /// <summary>The folder, whichever way it was given.</summary>
    public string Folder => FolderOf(Directory, Index);

    /// <summary>Checks the options before anything is opened.</summary>
    public void Check() => UsageException.Require(Keys.Any(), "--key", "none", "one or more keys");
}
