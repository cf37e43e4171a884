using System.Runtime.InteropServices;
using VectorPipe.Measuring.Output;
using VectorPipe.Tool.Collections;
using VectorPipe.Tool.Hits;

namespace VectorPipe.Tool.Commands;

/// <summary><c>vectorpipe query</c>, of an index.</summary>
internal static class IndexQueryCommand
{
    /// <summary>Searches; the arguments have been checked.</summary>
    public static async Task<int> RunAsync(QueryArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        const string expected = "none for an index, which holds vectors alone";
        UsageException.Require(arguments.Filter is null, "--filter", $"'{arguments.Filter}'", expected);
        UsageException.Require(!arguments.Include.Any(), "--include", string.Join(',', arguments.Include), expected);
        ulong? key = arguments.Key is null ? null : KeyText<ulong>.Parse(arguments.Key, "--key");
        var options = new OpenOptions { DeviceKind = arguments.ToDeviceKind(), LoggerFactory = console.Logging };
        await using VectorIndex index = await VectorIndex.OpenAsync(arguments.Folder, options, cancellationToken: cancellationToken);
        IndexInfo info = index.Info;
        UsageException.Require(arguments.K <= info.Count, "-k", arguments.K, $"1 to {info.Count}, the vectors of the index");
        var schema = new CollectionSchema { Dimension = info.Dimension, ElementType = info.ElementType, Metric = info.Metric };
        IReadOnlyList<ReadOnlyMemory<byte>> queries = await QueryVectors.LoadAsync(arguments, schema, console, cancellationToken);
        var shape = new HitShape(Math.Max(1, queries.Count), arguments.K, Include.Key, info.ElementType);
        await using var report = new QueryReport<ulong>(arguments, console, shape);
        if (key is { } near)
        {
            if (await index.GetAsync(near, cancellationToken) is not { } record)
                return report.NoSuchKey();

            // The vector itself is the nearest of all, and no neighbour.
            int wanted = (int)Math.Min(arguments.K + 1L, info.Count);
            SearchResult found = await SearchAsync(index, record.Bytes, wanted, arguments, cancellationToken);
            IEnumerable<SearchHit> others = found.Where(hit => hit.Key != near).Take(arguments.K);
            await report.AddAsync(0, Hits(others), found.Statistics, cancellationToken);
        }

        for (int query = 0; query < queries.Count; query++)
        {
            SearchResult found = await QueryVectors.SearchAsync(
                arguments, query, () => SearchAsync(index, queries[query], arguments.K, arguments, cancellationToken));
            await report.AddAsync(query, Hits(found), found.Statistics, cancellationToken);
        }

        return await report.CompleteAsync(cancellationToken);
    }

    private static KeyHit<ulong>[] Hits(IEnumerable<SearchHit> hits) => [.. hits.Select(hit => new KeyHit<ulong>(hit.Key, hit.Score))];

    private static ValueTask<SearchResult> SearchAsync(
        VectorIndex index, ReadOnlyMemory<byte> query, int k, QueryArguments arguments, CancellationToken cancellationToken)
    {
        return index.Info.ElementType switch
        {
            VectorElementType.Float32 => Search<float>(),
            VectorElementType.Float16 => Search<Half>(),
            VectorElementType.UInt8 => Search<byte>(),
            _ => Search<sbyte>(),
        };

        ValueTask<SearchResult> Search<T>()
            where T : unmanaged =>
            index.SearchAsync(MemoryMarshal.Cast<byte, T>(query.Span), k, arguments.ToOptions(), cancellationToken);
    }
}
