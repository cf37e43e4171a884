using CommandLine;
using VectorPipe.Tool.Collections;
using VectorPipe.Tool.Inputs;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of <c>vectorpipe get</c>.</summary>
[Verb("get", HelpText = "Show the records of keys of a collection, or the vectors of keys of an index.")]
internal sealed class GetArguments : DeviceArguments, IStoreArguments
{
    [Value(0, MetaName = "DIR", HelpText = "Folder of the collection or the index.")]
    public string? Directory { get; set; }

    [Option("index", HelpText = "The same as DIR.")]
    public string? Index { get; set; }

    [Option("key", Separator = ',', HelpText = "Key to look up; several with commas.")]
    public IEnumerable<string> Key { get; set; } = [];

    [Option("keys", HelpText = "File of keys to look up, one a line, or .npy of integers.")]
    public string? Keys { get; set; }

    /// <summary>The folder, whichever way it was given.</summary>
    public string Folder => FolderOf(Directory, Index);

    /// <summary>Checks the options before anything is opened.</summary>
    public void Check() => UsageException.Require(
        Key.Any() == Keys is null, "--key", Keys is null ? "neither" : "both", "either --key or --keys");

    /// <summary>Reads the keys.</summary>
    public async Task<IReadOnlyList<TKey>> ToKeysAsync<TKey>(CancellationToken cancellationToken)
        where TKey : notnull, IParsable<TKey> =>
        Keys is { } path
            ? await KeyFile.ReadAllAsync<TKey>(path, cancellationToken)
            : [.. Key.Select(key => KeyText<TKey>.Parse(key, "--key"))];
}
