using System.Text.Json.Nodes;
using VectorPipe.Measuring.Output;
using VectorPipe.Tool.Hits;

namespace VectorPipe.Tool.Commands;

/// <summary>What <c>vectorpipe query</c> writes: hits, and a sentence on searches that ended early. Not thread-safe.</summary>
internal sealed class QueryReport<TKey> : IAsyncDisposable
    where TKey : notnull, IParsable<TKey>
{
    private readonly QueryArguments _arguments;
    private readonly ToolConsole _console;
    private readonly IHitWriter<TKey> _hits;
    private long _queryCount;
    private long _hitCount;

    public QueryReport(QueryArguments arguments, ToolConsole console, HitShape shape)
    {
        (_arguments, _console) = (arguments, console);
        _hits = HitWriters.Create<TKey>(arguments.Out, console, shape);
    }

    public async Task AddAsync(
        int query, IReadOnlyList<KeyHit<TKey>> hits, SearchStatistics statistics, CancellationToken cancellationToken)
    {
        await _hits.WriteAsync(query, hits, cancellationToken);
        _queryCount++;
        _hitCount += hits.Count;
        if (_arguments.Explain)
            _console.WriteLine($"query {query}:\n{statistics.Explain()}");
        else if (statistics.EndedBy != SearchEnd.Complete)
            _console.WriteLine($"query {query}: {hits.Count} hits, ended by {statistics.EndedBy}");
    }

    public int NoSuchKey()
    {
        _console.Note($"{_arguments.Key}: no such key");
        return ExitCodes.KeyNotFound;
    }

    public async Task<int> CompleteAsync(CancellationToken cancellationToken)
    {
        await _hits.CompleteAsync(cancellationToken);
        if (_arguments.Out is not { } path || path == OutputFile.StandardOutput)
            return ExitCodes.Ok;
        _console.WriteLine($"{path}: {_hitCount} hits of {_queryCount} queries");
        await _console.WriteDocumentAsync(new JsonObject { ["out"] = path, ["queries"] = _queryCount, ["hits"] = _hitCount });
        return ExitCodes.Ok;
    }

    public ValueTask DisposeAsync() => _hits.DisposeAsync();
}
