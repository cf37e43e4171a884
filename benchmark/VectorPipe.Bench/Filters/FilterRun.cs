using System.Collections.Concurrent;
using System.Diagnostics;
using System.Runtime.InteropServices;
using VectorPipe.Measuring.Data;

namespace VectorPipe.Bench.Filters;

/// <summary>Searches all queries of a case, on several threads.</summary>
/// <param name="index">The index; keys are row numbers.</param>
/// <param name="queries">The queries.</param>
/// <param name="truth">The exact answers.</param>
/// <param name="k">Results per query.</param>
/// <param name="options">How to search, without a filter.</param>
/// <param name="threads">Threads, each with a session of its own.</param>
internal sealed class FilterRun<T>(VectorIndex index, VectorMatrix queries, FilterTruth truth, int k, SearchOptions options, int threads)
    where T : unmanaged
{
    // So many that a thread's session is full most of the time, so few that all threads end nearly together.
    private const int QueriesInPiece = 250;

    /// <summary>Measures a case.</summary>
    /// <param name="number">Its number among the cases.</param>
    /// <param name="filters">The case.</param>
    public FilterResultRow Measure(int number, FilterCase filters)
    {
        (int[] Rows, SearchOptions Options)[] groups =
        [
            .. Enumerable.Range(0, queries.Count).GroupBy(query => filters.GroupOf[query])
                .Select(group => (group.ToArray(), Filtered(group.Key))),
        ];
        double resolveSeconds = Resolve(groups);
        var pieces = new ConcurrentQueue<(int[] Rows, SearchOptions Options)>(
            groups.SelectMany(group => group.Rows.Chunk(QueriesInPiece).Select(rows => (rows, group.Options))));
        var hits = new SearchHit[queries.Count * k];
        var costs = new SearchStatistics[queries.Count];
        long from = Stopwatch.GetTimestamp();
        Parallel.For(0, threads, _ => Search(pieces, hits, costs));
        double searchSeconds = Stopwatch.GetElapsedTime(from).TotalSeconds;
        return Count(number, filters, hits, costs) with
        {
            Qps = queries.Count / searchSeconds,
            ResolveMs = filters.Shape == "none" ? 0 : resolveSeconds * 1000 / groups.Length,
        };

        SearchOptions Filtered(int group) => filters.Shape == "none"
            ? options
            : options with { Keys = KeyFilter.Where(key => filters.Selects(group, (int)key)) };
    }

    // The first search with a filter finds its matches.
    private double Resolve((int[] Rows, SearchOptions Options)[] groups)
    {
        using SearchSession session = index.OpenSession();
        var hits = new SearchHit[k];
        long from = Stopwatch.GetTimestamp();
        foreach ((int[] rows, SearchOptions filtered) in groups)
            session.Search<T>(MemoryMarshal.Cast<byte, T>(queries.Row(rows[0])), k, hits, filtered);
        return Stopwatch.GetElapsedTime(from).TotalSeconds;
    }

    private void Search(ConcurrentQueue<(int[] Rows, SearchOptions Options)> pieces, SearchHit[] hits, SearchStatistics[] costs)
    {
        using SearchSession session = index.OpenSession();
        var some = new SearchHit[QueriesInPiece * k];
        var cost = new SearchStatistics[QueriesInPiece];
        byte[] bytes = new byte[QueriesInPiece * queries.RowBytes];
        while (pieces.TryDequeue(out (int[] Rows, SearchOptions Options) piece))
        {
            int count = piece.Rows.Length;
            for (int i = 0; i < count; i++)
                queries.Row(piece.Rows[i]).CopyTo(bytes.AsSpan(i * queries.RowBytes));
            session.SearchMany<T>(
                MemoryMarshal.Cast<byte, T>(bytes.AsSpan(0, count * queries.RowBytes)), k, some.AsSpan(0, count * k), cost.AsSpan(0, count),
                piece.Options);
            for (int i = 0; i < count; i++)
            {
                costs[piece.Rows[i]] = cost[i];
                some.AsSpan(i * k, k).CopyTo(hits.AsSpan(piece.Rows[i] * k));
            }
        }
    }

    private FilterResultRow Count(int number, FilterCase filters, SearchHit[] hits, SearchStatistics[] costs)
    {
        long found = 0, wanted = 0;
        int tooFew = 0;
        for (int query = 0; query < costs.Length; query++)
        {
            found += truth.FoundBy(number, query, hits.AsSpan(query * k, costs[query].Hits));
            wanted += truth.CountOf(number, query);
            tooFew += costs[query].Hits < truth.CountOf(number, query) ? 1 : 0;
        }

        return new FilterResultRow
        {
            Shape = filters.Shape,
            Selectivity = costs.Average(cost => cost.Matches ?? index.Info.Count) / index.Info.Count,
            Strategy = costs.GroupBy(cost => cost.Strategy).MaxBy(group => group.Count())!.Key.ToString(),
            Recall = wanted == 0 ? 1 : found / (double)wanted,
            ReadsPerQuery = costs.Average(cost => cost.Reads),
            CodeDistancesPerQuery = costs.Average(cost => cost.CodeDistances),
            ExactDistancesPerQuery = costs.Average(cost => cost.ExactDistances),
            Short = tooFew,
            Qps = 0,
            ResolveMs = 0,
        };
    }
}
