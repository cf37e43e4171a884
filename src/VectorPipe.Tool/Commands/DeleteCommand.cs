using System.Text.Json.Nodes;
using VectorPipe.Measuring.Output;
using VectorPipe.Tool.Collections;
using VectorPipe.Tool.Inputs;

namespace VectorPipe.Tool.Commands;

/// <summary><c>vectorpipe delete</c>.</summary>
internal sealed class DeleteCommand : ICollectionWork
{
    // They share a sync.
    private const int KeysAtATime = 1024;

    private readonly DeleteArguments _arguments;
    private readonly ToolConsole _console;

    private DeleteCommand(DeleteArguments arguments, ToolConsole console)
    {
        _arguments = arguments;
        _console = console;
    }

    public static Task<int> RunAsync(DeleteArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        UsageException.Require(
            arguments.Key.Any() == arguments.Keys is null, "--key", arguments.Keys is null ? "neither" : "both", "either --key or --keys");
        return CollectionWork.RunAsync(arguments.Directory, new DeleteCommand(arguments, console), cancellationToken);
    }

    /// <summary>Deletes the keys that are there. Those that are not are no error: what was asked for holds.</summary>
    public async Task<int> RunAsync<TKey>(CollectionInfo info, CancellationToken cancellationToken)
        where TKey : notnull, IParsable<TKey>
    {
        IReadOnlyList<TKey> keys = _arguments.Keys is { } path
            ? await KeyFile.ReadAllAsync<TKey>(path, cancellationToken)
            : [.. _arguments.Key.Select(key => KeyText<TKey>.Parse(key, "--key"))];
        CollectionOptions options = _arguments.ToOptions(_console, isReadOnly: false);
        await using var collection = await VectorCollection<TKey>.OpenAsync(_arguments.Directory, options, cancellationToken);
        long deleted = 0;
        foreach (TKey[] some in keys.Chunk(KeysAtATime))
        {
            bool[] found = await Task.WhenAll(some.Select(key => collection.DeleteAsync(key, cancellationToken)));
            deleted += found.Count(was => was);
        }

        _console.WriteLine($"{deleted} of {keys.Count} keys deleted, {collection.Count} records in the collection");
        await _console.WriteDocumentAsync(new JsonObject
        {
            ["deleted"] = deleted,
            ["keys"] = keys.Count,
            ["records"] = collection.Count,
        });
        return ExitCodes.Ok;
    }
}
