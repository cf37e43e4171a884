using System.Diagnostics;
using System.Runtime.InteropServices;
using VectorPipe.Measuring.Data;
using VectorPipe.Numerics.Conversion;
using VectorPipe.Searching.Calibrating;

namespace VectorPipe.Bench.Follows;

/// <summary>Measures an index before and after it follows the first half of some queries. The second half measures.</summary>
/// <typeparam name="T">Type of a component.</typeparam>
/// <param name="open">Opens the index; receives whether it follows the queries.</param>
internal sealed class FollowRun<T>(FollowBenchArguments arguments, Func<bool, Task<VectorIndex>> open, VectorMatrix queries)
    where T : unmanaged
{
    private static readonly TimeSpan _look = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan _longestRound = TimeSpan.FromHours(1);

    private readonly T[] _rows = arguments.Midpoints ? Midpoints(queries) : MemoryMarshal.Cast<byte, T>(queries.Bytes).ToArray();
    private SearchResult[] _nearest = [];

    private int Count => _rows.Length / queries.Dimension;

    private ReadOnlyMemory<T> Followed => _rows.AsMemory(0, Count / 2 * queries.Dimension);

    private ReadOnlyMemory<T> Measured =>
        _rows.AsMemory(Followed.Length, Math.Min(arguments.Queries, Count - (Count / 2)) * queries.Dimension);

    /// <summary>Measures all targets.</summary>
    /// <returns>A row for each, and what the index says that it found of the queries it followed.</returns>
    public async Task<(IReadOnlyList<FollowResultRow> Rows, QueryRecall Seen)> MeasureAsync(CancellationToken cancellationToken)
    {
        int least = 2 * OpenOptions.Default.FollowedQueries;
        UsageException.Require(Count >= least, "--query", $"{Count} queries", $"at least {least}");
        List<FoundShare> built;
        await using (VectorIndex index = await open(false))
        {
            _nearest = await index.SearchBatchAsync(
                Measured, arguments.K, new SearchOptions { Mode = SearchMode.Exact }, cancellationToken);
            built = await FindAllAsync(index, cancellationToken);
        }

        await using VectorIndex following = await open(true);
        await following.SearchBatchAsync(Followed, arguments.K, cancellationToken: cancellationToken);
        QueryRecall? seen;
        for (long began = Stopwatch.GetTimestamp(); (seen = following.QueryRecall) is null;)
        {
            if (Stopwatch.GetElapsedTime(began) > _longestRound)
                throw new TimeoutException($"Expected a round within {_longestRound}, found none; messages say whether it failed.");
            await Task.Delay(_look, cancellationToken);
        }

        List<FoundShare> followed = await FindAllAsync(following, cancellationToken);
        return ([.. arguments.TargetRecalls.Select((recall, i) => new FollowResultRow(recall, built[i], followed[i]))], seen);
    }

    private async Task<List<FoundShare>> FindAllAsync(VectorIndex index, CancellationToken cancellationToken)
    {
        List<FoundShare> all = [];
        foreach (float recall in arguments.TargetRecalls)
        {
            SearchResult[] results = await index.SearchBatchAsync(
                Measured, arguments.K, new SearchOptions { TargetRecall = recall }, cancellationToken);
            long found = 0, wanted = 0, reads = 0;
            for (int i = 0; i < results.Length; i++)
            {
                found += TrueNeighbours.Count(_nearest[i].AsSpan(), results[i].AsSpan(), index.Info.Metric);
                wanted += _nearest[i].Count;
                reads += results[i].Statistics.Reads + results[i].Statistics.CacheHits;
            }

            all.Add(new FoundShare((double)found / wanted, (double)reads / results.Length));
        }

        return all;
    }

    private static T[] Midpoints(VectorMatrix queries)
    {
        int pairs = queries.Count / 2, dimension = queries.Dimension;
        var rows = new T[pairs * dimension];
        float[] first = new float[dimension], second = new float[dimension];
        for (int pair = 0; pair < pairs; pair++)
        {
            VectorConversion.ToFloat(queries.ElementType, queries.Row(2 * pair), first);
            VectorConversion.ToFloat(queries.ElementType, queries.Row((2 * pair) + 1), second);
            for (int i = 0; i < dimension; i++)
                first[i] = (first[i] + second[i]) / 2;
            VectorConversion.FromFloat(queries.ElementType, first, MemoryMarshal.AsBytes(rows.AsSpan(pair * dimension, dimension)));
        }

        return rows;
    }
}
