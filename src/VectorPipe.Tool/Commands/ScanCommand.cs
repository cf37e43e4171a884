using VectorPipe.Measuring.Output;
using VectorPipe.Tool.Collections;

namespace VectorPipe.Tool.Commands;

/// <summary><c>vectorpipe scan</c>.</summary>
internal sealed class ScanCommand : ICollectionWork
{
    private readonly ScanArguments _arguments;
    private readonly ToolConsole _console;
    private readonly Filter? _filter;

    private ScanCommand(ScanArguments arguments, ToolConsole console)
    {
        _arguments = arguments;
        _console = console;
        _filter = arguments.Filter is null ? null : Filter.Parse(arguments.Filter);
    }

    public static Task<int> RunAsync(ScanArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        arguments.Check();
        UsageException.Require(console.Format != OutputFormat.Table, "--format", "table", "json or csv: a table has all rows in memory");
        return CollectionWork.RunAsync(arguments.Directory, new ScanCommand(arguments, console), cancellationToken);
    }

    public async Task<int> RunAsync<TKey>(CollectionInfo info, CancellationToken cancellationToken)
        where TKey : notnull, IParsable<TKey>
    {
        CollectionOptions options = _arguments.ToOptions(_console, isReadOnly: true);
        await using var collection = await VectorCollection<TKey>.OpenAsync(_arguments.Directory, options, cancellationToken);
        Include include = Include.Attributes | Include.Payload | (_arguments.Vectors ? Include.Vector : Include.Key);
        var lines = new RowLines(_console, ["key", .. RowText.Names(include)]);
        IAsyncEnumerable<CollectionRecord<TKey>> records = _filter is null
            ? collection.ScanAsync(include, cancellationToken)
            : collection.ScanAsync(_filter, include, cancellationToken);
        long limit = _arguments.Limit ?? long.MaxValue;
        long printed = 0;
        await foreach (CollectionRecord<TKey> record in records)
        {
            await lines.WriteAsync(RecordLine<TKey>.ToJson(record, include));
            if (++printed == limit)
                break;
        }

        await lines.CompleteAsync();
        return ExitCodes.Ok;
    }
}
