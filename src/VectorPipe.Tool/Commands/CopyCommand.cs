using System.Text.Json.Nodes;
using VectorPipe.Measuring.Output;
using VectorPipe.Tool.Collections;

namespace VectorPipe.Tool.Commands;

/// <summary><c>vectorpipe backup</c> and <c>vectorpipe restore</c>: a backup is a collection, so both copy one.</summary>
internal sealed class CopyCommand : ICollectionWork
{
    private readonly string _to;
    private readonly ToolConsole _console;

    private CopyCommand(string to, ToolConsole console)
    {
        _to = to;
        _console = console;
    }

    public static Task<int> RunAsync(string from, string to, ToolConsole console, CancellationToken cancellationToken) =>
        CollectionWork.RunAsync(from, new CopyCommand(to, console), cancellationToken);

    public async Task<int> RunAsync<TKey>(CollectionInfo info, CancellationToken cancellationToken)
        where TKey : notnull, IParsable<TKey>
    {
        var options = new CollectionOptions { CreateIfMissing = false, Open = new OpenOptions { LoggerFactory = _console.Logging } };
        await using var collection = await VectorCollection<TKey>.OpenAsync(info.Directory, options, cancellationToken);
        long records = collection.Count;
        await _console.WithProgressAsync(async progress =>
        {
            await collection.BackupAsync(_to, progress, cancellationToken);
            return true;
        });
        _console.WriteLine($"{_to}: a collection of {records} records");
        await _console.WriteDocumentAsync(new JsonObject
        {
            ["directory"] = _to,
            ["records"] = records,
        });
        return ExitCodes.Ok;
    }
}
