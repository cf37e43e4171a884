using System.Text.Json.Nodes;
using Spectre.Console;
using VectorPipe.Measuring.Output;
using VectorPipe.Tool.Collections;

namespace VectorPipe.Tool.Commands;

/// <summary><c>vectorpipe status</c>.</summary>
internal sealed class StatusCommand : ICollectionWork
{
    private readonly StatusArguments _arguments;
    private readonly ToolConsole _console;

    private StatusCommand(StatusArguments arguments, ToolConsole console)
    {
        _arguments = arguments;
        _console = console;
    }

    public static Task<int> RunAsync(StatusArguments arguments, ToolConsole console, CancellationToken cancellationToken) =>
        CollectionWork.RunAsync(arguments.Directory, new StatusCommand(arguments, console), cancellationToken);

    public async Task<int> RunAsync<TKey>(CollectionInfo info, CancellationToken cancellationToken)
        where TKey : notnull, IParsable<TKey>
    {
        CollectionOptions options = _arguments.ToOptions(_console, isReadOnly: true);
        await using var collection = await VectorCollection<TKey>.OpenAsync(_arguments.Directory, options, cancellationToken);
        CollectionStatus status = collection.Status;
        Table table = new Table()
            .AddColumn("property").AddColumn("value", column => column.RightAligned())
            .AddRow("records", $"{status.Count}")
            .AddRow("waiting writes", $"{status.Waiting}")
            .AddRow("waiting bytes", $"{status.WaitingBytes}")
            .AddRow("generation", $"{status.Generation}")
            .AddRow("vectors of the generation", $"{status.GenerationCount}")
            .AddRow("checkpoints", $"{status.Checkpoints}")
            .AddRow("bytes of memory", $"{status.MemoryBytes}")
            .AddRow("device", status.DeviceName ?? "unknown")
            .AddRow("number of the last group of writes", $"{status.Sequence}");
        _console.Write(table);
        await _console.WriteDocumentAsync(new JsonObject
        {
            ["records"] = status.Count,
            ["waiting_writes"] = status.Waiting,
            ["waiting_bytes"] = status.WaitingBytes,
            ["generation"] = status.Generation,
            ["generation_vectors"] = status.GenerationCount,
            ["checkpoints"] = status.Checkpoints,
            ["memory_bytes"] = status.MemoryBytes,
            ["device"] = status.DeviceName,
            ["device_fallback"] = status.DeviceFallback,
            ["sequence"] = status.Sequence,
        });
        return ExitCodes.Ok;
    }
}
