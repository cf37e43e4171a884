using CommandLine;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of <c>vectorpipe delete</c>.</summary>
[Verb("delete", HelpText = "Delete records of a collection.")]
internal sealed class DeleteArguments : CollectionArguments
{
    [Option("key", Separator = ',', HelpText = "Key to delete; several with commas.")]
    public IEnumerable<string> Key { get; set; } = [];

    [Option("keys", HelpText = "File of keys to delete, one a line, or .npy of integers.")]
    public string? Keys { get; set; }
}
