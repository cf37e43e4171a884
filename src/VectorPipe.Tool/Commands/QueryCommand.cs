using System.Globalization;
using System.Runtime.InteropServices;
using System.Text.Json.Nodes;
using Spectre.Console;
using VectorPipe.Measuring.Data;
using VectorPipe.Measuring.Output;
using VectorPipe.Tool.Collections;
using VectorPipe.Tool.Inputs;

namespace VectorPipe.Tool.Commands;

/// <summary><c>vectorpipe query</c>.</summary>
internal sealed class QueryCommand : ICollectionWork
{
    private readonly QueryArguments _arguments;
    private readonly ToolConsole _console;
    private readonly Include _include;

    private QueryCommand(QueryArguments arguments, ToolConsole console)
    {
        _arguments = arguments;
        _console = console;
        _include = CollectionChoices.Includes(arguments.Include);
    }

    public static Task<int> RunAsync(QueryArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        arguments.Check();
        return CollectionWork.RunAsync(arguments.Directory, new QueryCommand(arguments, console), cancellationToken);
    }

    public async Task<int> RunAsync<TKey>(CollectionInfo info, CancellationToken cancellationToken)
        where TKey : notnull, IParsable<TKey>
    {
        TKey? key = _arguments.Key is null ? default : KeyText<TKey>.Parse(_arguments.Key, "--key");
        IReadOnlyList<ReadOnlyMemory<byte>> queries = _arguments.Key is null ? await QueriesAsync(info, cancellationToken) : [];
        CollectionOptions options = _arguments.ToOptions(_console, isReadOnly: true);
        await using var collection = await VectorCollection<TKey>.OpenAsync(_arguments.Directory, options, cancellationToken);
        var lines = new RowLines(_console, ["query", "rank", "key", "score", .. RowText.Names(_include)]);
        Table table = CreateTable();
        if (_arguments.Key is not null)
        {
            CollectionResult<TKey>? near = await collection.SearchNearAsync(
                key!, _arguments.K, Options, _include, _arguments.Condition, cancellationToken);
            if (near is null)
            {
                _console.WriteLine($"{_arguments.Key}: no such key");
                return ExitCodes.KeyNotFound;
            }

            await AddAsync(table, lines, info.Schema, 0, near);
        }

        for (int query = 0; query < queries.Count; query++)
            await AddAsync(table, lines, info.Schema, query, await SearchAsync(collection, queries[query], cancellationToken));
        _console.Write(table);
        await lines.CompleteAsync();
        return ExitCodes.Ok;
    }

    private SearchOptions Options => new()
    {
        TargetRecall = _arguments.TargetRecall,
        Within = _arguments.Within,
        MaxReads = _arguments.MaxReads,
        Deadline = _arguments.DeadlineMs is { } milliseconds ? TimeSpan.FromMilliseconds(milliseconds) : null,
    };

    private async Task<IReadOnlyList<ReadOnlyMemory<byte>>> QueriesAsync(CollectionInfo info, CancellationToken cancellationToken)
    {
        if (_arguments.Vector is { } list)
            return [VectorJson.Parse(list, info.Schema, "--vector")];
        VectorMatrix matrix = await VectorInput.LoadQueriesAsync("--vectors", _arguments.Vectors!, _console, cancellationToken);
        matrix.RequireKind("--vectors", info.Schema.ElementType, info.Schema.Dimension, _arguments.Directory);
        ReadOnlyMemory<byte> rows = matrix.Bytes;
        return [.. Enumerable.Range(0, matrix.Count).Select(row => rows.Slice(row * matrix.RowBytes, matrix.RowBytes))];
    }

    private Task<CollectionResult<TKey>> SearchAsync<TKey>(
        VectorCollection<TKey> collection, ReadOnlyMemory<byte> query, CancellationToken cancellationToken)
        where TKey : notnull
    {
        return collection.Schema.ElementType switch
        {
            VectorElementType.Float32 => Search<float>(),
            VectorElementType.Float16 => Search<Half>(),
            VectorElementType.UInt8 => Search<byte>(),
            _ => Search<sbyte>(),
        };

        Task<CollectionResult<TKey>> Search<T>()
            where T : unmanaged =>
            collection.SearchAsync(MemoryMarshal.Cast<byte, T>(query.Span), _arguments.K, Options, _include, _arguments.Condition,
                cancellationToken);
    }

    private Table CreateTable()
    {
        var table = new Table();
        foreach (string heading in (string[])["query", "rank", "key", "score"])
            table.AddColumn(heading, column => column.RightAligned());
        foreach (string heading in RowText.Headings(_include))
            table.AddColumn(heading);
        return table;
    }

    private async Task AddAsync<TKey>(Table table, RowLines lines, CollectionSchema schema, int query, CollectionResult<TKey> hits)
        where TKey : notnull, IParsable<TKey>
    {
        for (int i = 0; i < hits.Count; i++)
        {
            CollectionHit<TKey> hit = hits[i];
            string[] figures =
                [$"{query}", $"{i + 1}", KeyText<TKey>.ToText(hit.Key), hit.Score.ToString("G6", CultureInfo.InvariantCulture)];
            IEnumerable<string> rest = RowText.Cells(_include, schema.ElementType, hit.Vector, hit.Attributes, hit.Payload);
            table.AddRow([.. figures.Concat(rest).Select(cell => new Text(cell))]);
            var row = new JsonObject
            {
                ["query"] = query,
                ["rank"] = i + 1,
                ["key"] = KeyText<TKey>.ToJson(hit.Key),
                ["score"] = hit.Score,
            };
            RowText.Add(row, _include, schema.ElementType, hit.Vector, hit.Attributes, hit.Payload);
            await lines.WriteAsync(row);
        }

        if (_arguments.Explain)
            _console.WriteLine($"query {query}:\n{hits.Statistics.Explain()}");
        else if (hits.Statistics.EndedBy != SearchEnd.Complete)
            _console.WriteLine($"query {query}: {hits.Count} hits, ended by {hits.Statistics.EndedBy}");
    }
}
