using System.Globalization;
using System.Text.Json.Nodes;
using VectorPipe.Measuring.Output;
using VectorPipe.Tool.Collections;

namespace VectorPipe.Tool.Commands;

/// <summary><c>vectorpipe count</c>.</summary>
internal sealed class CountCommand : ICollectionWork
{
    private readonly CountArguments _arguments;
    private readonly ToolConsole _console;
    private readonly Filter? _filter;

    private CountCommand(CountArguments arguments, ToolConsole console)
    {
        _arguments = arguments;
        _console = console;
        _filter = arguments.Filter is null ? null : Filter.Parse(arguments.Filter);
    }

    public static Task<int> RunAsync(CountArguments arguments, ToolConsole console, CancellationToken cancellationToken) =>
        CollectionWork.RunAsync(arguments.Directory, new CountCommand(arguments, console), cancellationToken);

    public async Task<int> RunAsync<TKey>(CollectionInfo info, CancellationToken cancellationToken)
        where TKey : notnull, IParsable<TKey>
    {
        CollectionOptions options = _arguments.ToOptions(_console, isReadOnly: true);
        await using var collection = await VectorCollection<TKey>.OpenAsync(_arguments.Directory, options, cancellationToken);
        long count = _filter is null ? collection.Count : await collection.CountAsync(_filter, cancellationToken);
        if (_console.Format == OutputFormat.Table)
            _console.WriteLine(count.ToString(CultureInfo.InvariantCulture));
        await _console.WriteDocumentAsync(new JsonObject
        {
            ["count"] = count,
        });
        return ExitCodes.Ok;
    }
}
