using System.Diagnostics;
using System.Runtime.InteropServices;
using VectorPipe.Measuring.Data;

namespace VectorPipe.Bench.Filters;

/// <summary>Searches all queries of a case, filter by filter, on one thread.</summary>
/// <param name="index">The index; keys are row numbers.</param>
/// <param name="queries">The queries.</param>
/// <param name="truth">The exact answers.</param>
/// <param name="k">Results per query.</param>
/// <param name="options">How to search, without a filter.</param>
internal sealed class FilterRun<T>(VectorIndex index, VectorMatrix queries, FilterTruth truth, int k, SearchOptions options)
    where T : unmanaged
{
    /// <summary>Measures a case.</summary>
    /// <param name="number">Its number among the cases.</param>
    /// <param name="filters">The case.</param>
    public FilterResultRow Measure(int number, FilterCase filters)
    {
        using SearchSession session = index.OpenSession();
        var hits = new SearchHit[queries.Count * k];
        var costs = new SearchStatistics[queries.Count];
        double searchSeconds = 0, resolveSeconds = 0;
        int groups = 0;
        foreach (IGrouping<int, int> group in Enumerable.Range(0, queries.Count).GroupBy(query => filters.GroupOf[query]))
        {
            int[] rows = [.. group];
            SearchOptions filtered = filters.Shape == "none"
                ? options
                : options with { Keys = KeyFilter.Where(key => filters.Selects(group.Key, (int)key)) };
            byte[] bytes = [.. rows.SelectMany(row => queries.Row(row).ToArray())];
            var some = new SearchHit[rows.Length * k];
            var cost = new SearchStatistics[rows.Length];
            long before = Stopwatch.GetTimestamp();
            session.Search<T>(MemoryMarshal.Cast<byte, T>(queries.Row(rows[0])), k, some, filtered);
            long from = Stopwatch.GetTimestamp();
            session.SearchMany<T>(MemoryMarshal.Cast<byte, T>(bytes), k, some, cost, filtered);
            searchSeconds += Stopwatch.GetElapsedTime(from).TotalSeconds;
            resolveSeconds += Stopwatch.GetElapsedTime(before, from).TotalSeconds;
            groups++;
            for (int i = 0; i < rows.Length; i++)
            {
                costs[rows[i]] = cost[i];
                some.AsSpan(i * k, k).CopyTo(hits.AsSpan(rows[i] * k));
            }
        }

        return Count(number, filters, hits, costs) with
        {
            Qps = queries.Count / searchSeconds,
            ResolveMs = filters.Shape == "none" ? 0 : resolveSeconds * 1000 / groups,
        };
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
