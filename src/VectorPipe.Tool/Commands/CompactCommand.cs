using System.Text.Json.Nodes;
using VectorPipe.Measuring.Output;
using VectorPipe.Tool.Collections;

namespace VectorPipe.Tool.Commands;

/// <summary><c>vectorpipe compact</c>.</summary>
internal sealed class CompactCommand : ICollectionWork
{
    private readonly CompactArguments _arguments;
    private readonly ToolConsole _console;

    private CompactCommand(CompactArguments arguments, ToolConsole console)
    {
        _arguments = arguments;
        _console = console;
    }

    public static Task<int> RunAsync(CompactArguments arguments, ToolConsole console, CancellationToken cancellationToken) =>
        CollectionWork.RunAsync(arguments.Directory, new CompactCommand(arguments, console), cancellationToken);

    public async Task<int> RunAsync<TKey>(CollectionInfo info, CancellationToken cancellationToken)
        where TKey : notnull, IParsable<TKey>
    {
        CollectionOptions options = _arguments.ToOptions(_console, isReadOnly: false);
        await using var collection = await VectorCollection<TKey>.OpenAsync(_arguments.Directory, options, cancellationToken);
        long waiting = collection.Status.Waiting;
        bool isDone = await _console.WithProgressAsync(progress => collection.CompactAsync(progress, cancellationToken));
        CollectionStatus status = collection.Status;
        _console.WriteLine(isDone
            ? $"{waiting} writes taken in, {status.Count} records in generation {status.Generation}"
            : $"nothing to do, {status.Count} records in generation {status.Generation}");
        await _console.WriteDocumentAsync(new JsonObject
        {
            ["taken_in"] = isDone ? waiting : 0,
            ["records"] = status.Count,
            ["generation"] = status.Generation,
        });
        return ExitCodes.Ok;
    }
}
