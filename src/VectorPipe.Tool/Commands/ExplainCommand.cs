using System.Globalization;
using System.Runtime.InteropServices;
using VectorPipe.Measuring.Data;
using VectorPipe.Measuring.Output;
using VectorPipe.Tool.Collections;
using VectorPipe.Tool.Explaining;
using VectorPipe.Tool.Inputs;

namespace VectorPipe.Tool.Commands;

/// <summary><c>vectorpipe explain</c>.</summary>
internal sealed class ExplainCommand : ICollectionWork
{
    private readonly ExplainArguments _arguments;
    private readonly ToolConsole _console;

    private ExplainCommand(ExplainArguments arguments, ToolConsole console)
    {
        _arguments = arguments;
        _console = console;
    }

    public static Task<int> RunAsync(ExplainArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        arguments.Check();
        var command = new ExplainCommand(arguments, console);
        return VectorCollection.Exists(arguments.Folder)
            ? CollectionWork.RunAsync(arguments.Folder, command, cancellationToken)
            : command.RunIndexAsync(cancellationToken);
    }

    /// <summary>Explains a search of a collection.</summary>
    public async Task<int> RunAsync<TKey>(CollectionInfo info, CancellationToken cancellationToken)
        where TKey : notnull, IParsable<TKey>
    {
        SearchOptions options = _arguments.ToOptions(IndexKind.Graph);
        ReadOnlyMemory<byte> query = await QueryAsync(info.Schema.ElementType, info.Schema.Dimension, cancellationToken);
        var opening = new CollectionOptions
        {
            ReadOnly = true,
            CreateIfMissing = false,
            Open = new OpenOptions { DeviceKind = _arguments.ToDeviceKind(), LoggerFactory = _console.Logging },
        };
        await using var collection = await VectorCollection<TKey>.OpenAsync(_arguments.Folder, opening, cancellationToken);
        Func<SearchOptions, Task<FoundHits>> search = info.Schema.ElementType switch
        {
            VectorElementType.Float32 => SearchAsync<float>,
            VectorElementType.Float16 => SearchAsync<Half>,
            VectorElementType.UInt8 => SearchAsync<byte>,
            _ => SearchAsync<sbyte>,
        };
        CollectionStatus status = collection.Status;
        var store = new SearchedStore(
            _arguments.Folder, info.Schema.Metric, info.Index, status, status.DeviceName, status.DeviceFallback);
        return await ExplainAsync(store, options, search, cancellationToken);

        async Task<FoundHits> SearchAsync<T>(SearchOptions searchOptions)
            where T : unmanaged
        {
            CollectionResult<TKey> found = await collection.SearchAsync(
                MemoryMarshal.Cast<byte, T>(query.Span), _arguments.K, searchOptions, Include.Key, _arguments.Condition, cancellationToken);
            return new FoundHits([.. found.Select(hit => new ExplainedHit(KeyText<TKey>.ToText(hit.Key), hit.Score))], found.Statistics);
        }
    }

    private async Task<int> RunIndexAsync(CancellationToken cancellationToken)
    {
        UsageException.Require(
            _arguments.Filter is null, "--filter", $"'{_arguments.Filter}'", "none for an index, whose vectors have no attributes");
        var opening = new OpenOptions { DeviceKind = _arguments.ToDeviceKind(), LoggerFactory = _console.Logging };
        await using VectorIndex index = await VectorIndex.OpenAsync(_arguments.Folder, opening, cancellationToken: cancellationToken);
        SearchOptions options = _arguments.ToOptions(index.Info.Kind);
        UsageException.Require(
            _arguments.K <= index.Info.Count, "-k", _arguments.K, $"1 to {index.Info.Count}, the vectors of the index");
        ReadOnlyMemory<byte> query = await QueryAsync(index.Info.ElementType, index.Info.Dimension, cancellationToken);
        Func<SearchOptions, Task<FoundHits>> search = index.Info.ElementType switch
        {
            VectorElementType.Float32 => SearchAsync<float>,
            VectorElementType.Float16 => SearchAsync<Half>,
            VectorElementType.UInt8 => SearchAsync<byte>,
            _ => SearchAsync<sbyte>,
        };
        var store = new SearchedStore(
            _arguments.Folder, index.Info.Metric, index.Info, Collection: null, index.DeviceName, index.DeviceFallback);
        return await ExplainAsync(store, options, search, cancellationToken);

        async Task<FoundHits> SearchAsync<T>(SearchOptions searchOptions)
            where T : unmanaged
        {
            SearchResult found = await index.SearchAsync(
                MemoryMarshal.Cast<byte, T>(query.Span), _arguments.K, searchOptions, cancellationToken);
            return new FoundHits(
                [.. found.Select(hit => new ExplainedHit(hit.Key.ToString(CultureInfo.InvariantCulture), hit.Score))], found.Statistics);
        }
    }

    private async Task<ReadOnlyMemory<byte>> QueryAsync(VectorElementType type, int dimension, CancellationToken cancellationToken)
    {
        VectorMatrix queries = await VectorInput.LoadQueriesAsync("--query", _arguments.Query, _console, cancellationToken);
        queries.RequireKind("--query", type, dimension, _arguments.Folder);
        UsageException.Require(
            _arguments.Row < queries.Count, "--row", _arguments.Row, $"less than {queries.Count}, the rows of '{_arguments.Query}'");
        return queries.Bytes.AsMemory(_arguments.Row * queries.RowBytes, queries.RowBytes);
    }

    private async Task<int> ExplainAsync(
        SearchedStore store, SearchOptions options, Func<SearchOptions, Task<FoundHits>> search, CancellationToken cancellationToken)
    {
        FoundHits usual = await search(options);
        MedianSearch median = await MedianSearch.RunAsync(trace => search(options with { Trace = trace }));
        var explained = new ExplainedSearch
        {
            Store = store,
            Query = PageText.Of($"row {_arguments.Row} of {Path.GetFileName(_arguments.Query)}"),
            K = _arguments.K,
            Options = options,
            Filter = _arguments.Condition,
            Search = median,
            IsUsuallyExact = IsExact(usual) && !IsExact(median.Found),
        };
        string page = ExplainPage.ToHtml(explained);
        if (_arguments.Out == OutputFile.StandardOutput)
            await _console.Documents.WriteAsync(page);
        else
            await File.WriteAllTextAsync(_arguments.Out, page, cancellationToken);
        _console.WriteLine($"{_arguments.Out}: {explained.Summary}");
        await _console.WriteDocumentAsync(explained.ToJson(_arguments.Out));
        return ExitCodes.Ok;
    }

    private static bool IsExact(FoundHits found) => found.Statistics.RecallBasis == RecallBasis.Exact;
}
