using System.Runtime.InteropServices;
using VectorPipe.Measuring.Output;
using VectorPipe.Tool.Collections;
using VectorPipe.Tool.Hits;

namespace VectorPipe.Tool.Commands;

/// <summary><c>vectorpipe query</c>, of a collection.</summary>
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
        return VectorCollection.Exists(arguments.Folder)
            ? CollectionWork.RunAsync(arguments.Folder, new QueryCommand(arguments, console), cancellationToken)
            : IndexQueryCommand.RunAsync(arguments, console, cancellationToken);
    }

    public async Task<int> RunAsync<TKey>(CollectionInfo info, CancellationToken cancellationToken)
        where TKey : notnull, IParsable<TKey>
    {
        TKey? key = _arguments.Key is null ? default : KeyText<TKey>.Parse(_arguments.Key, "--key");
        IReadOnlyList<ReadOnlyMemory<byte>> queries = await QueryVectors.LoadAsync(_arguments, info.Schema, _console, cancellationToken);
        var options = new CollectionOptions
        {
            ReadOnly = true,
            CreateIfMissing = false,
            Open = new OpenOptions { DeviceKind = _arguments.ToDeviceKind(), LoggerFactory = _console.Logging },
        };
        await using var collection = await VectorCollection<TKey>.OpenAsync(_arguments.Folder, options, cancellationToken);
        var shape = new HitShape(Math.Max(1, queries.Count), _arguments.K, _include, info.Schema.ElementType);
        await using var report = new QueryReport<TKey>(_arguments, _console, shape);
        if (_arguments.Key is not null)
        {
            CollectionResult<TKey>? near = await collection.SearchNearAsync(
                key!, _arguments.K, _arguments.ToOptions(), _include, _arguments.Condition, cancellationToken);
            if (near is null)
                return report.NoSuchKey();
            await AddAsync(0, near);
        }

        for (int query = 0; query < queries.Count; query++)
        {
            CollectionResult<TKey> found = await QueryVectors.SearchAsync(
                _arguments, query, () => new ValueTask<CollectionResult<TKey>>(SearchAsync(collection, queries[query], cancellationToken)));
            await AddAsync(query, found);
        }

        return await report.CompleteAsync(cancellationToken);

        Task AddAsync(int query, CollectionResult<TKey> found) => report.AddAsync(
            query, [.. found.Select(hit => new KeyHit<TKey>(hit.Key, hit.Score, hit.Vector, hit.Attributes, hit.Payload))],
            found.Statistics, cancellationToken);
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
            collection.SearchAsync(
                MemoryMarshal.Cast<byte, T>(query.Span), _arguments.K, _arguments.ToOptions(), _include, _arguments.Condition,
                cancellationToken);
    }
}
