using System.Diagnostics;
using System.Runtime.CompilerServices;
using VectorPipe.Server.Sets;
using VectorPipe.Tasks;

namespace VectorPipe.Server.Commands;

/// <summary>Searches a set for the elements nearest to a vector, with a filter or without.</summary>
internal static class SimilaritySearch
{
    // The first hits that a filter looks at, and the growth of each step.
    private const int FirstStep = 64;
    private const int MostStep = 4096;

    public static async Task<SimilarityAnswer> FindAsync(
        VectorSet set, ReadOnlyMemory<float> query, SimilarityArguments arguments, SearchOptions options, CancellationToken stop)
    {
        if (arguments.Filter is not null)
            return await FilterAsync(set, query, arguments, options, stop);
        Include include = arguments.WithAttributes ? Include.Payload : Include.Key;
        CollectionResult<string> found = await set.Collection.SearchAsync(
            query, arguments.Count, options, include, cancellationToken: stop);
        return new SimilarityAnswer(found, found.Statistics);
    }

    /// <summary>Searches with a filter among the nearest elements alone, which is enough where one in a few matches.</summary>
    /// <param name="set">The set.</param>
    /// <param name="call">Receives the hits and which of them match; they are an answer if there are enough.</param>
    /// <param name="query">The vector.</param>
    /// <param name="arguments">Count, filter, effort and distance.</param>
    /// <param name="options">How to search, without limits.</param>
    /// <returns>Whether they are the answer. If not, the search is to be begun anew.</returns>
    [AsyncMethodBuilder(typeof(PooledTaskBuilder<>))]
    public static async ValueTask<bool> TryFindNearAsync(
        VectorSet set, Call call, ReadOnlyMemory<float> query, SimilarityArguments arguments, SearchOptions options)
    {
        int wanted = (int)Math.Min(FirstStepOf(arguments.Count), arguments.FilterEffort);
        CollectionHitBuffer<string> hits = call.Hits;
        await set.Collection.SearchAsync(query, hits, wanted, options, Include.Payload, cancellationToken: call.Stop);
        call.Matches.Clear();
        for (int i = 0; i < hits.Count; i++)
        {
            if (IsBeyond(arguments, set.Settings.Metric, hits.ScoreOf(i)))
                return true;
            if (arguments.Filter!.Matches(hits.PayloadOf(i)))
                call.Matches.Add(i);
            if (call.Matches.Count == arguments.Count)
                return true;
        }

        return hits.Count < wanted || wanted == arguments.FilterEffort;
    }

    /// <summary>Elements that a filter looks at first.</summary>
    public static int FirstStepOf(int count) => Math.Clamp(count, FirstStep, MostStep);

    /// <summary>Whether a hit is farther than those that were asked for.</summary>
    public static bool IsBeyond(in SimilarityArguments arguments, DistanceMetric metric, float score) =>
        arguments.Epsilon is { } most && 1 - ScoreScale.Of(metric, score) > most;

    // Attributes are texts that nothing is known about before: hits are looked at from the nearest on, until enough of them match.
    private static async Task<SimilarityAnswer> FilterAsync(
        VectorSet set, ReadOnlyMemory<float> query, SimilarityArguments arguments, SearchOptions options, CancellationToken stop)
    {
        CollectionCursor<string> cursor = set.Collection.OpenSearch(query, options, Include.Payload);
        var hits = new List<CollectionHit<string>>();
        long left = arguments.FilterEffort;
        SearchStatistics cost = default;
        long start = Stopwatch.GetTimestamp();
        bool isBehind = false;
        for (int step = FirstStepOf(arguments.Count); left > 0; step = Math.Min(2 * step, MostStep))
        {
            // The limits are those of each search in turn, and of all of them.
            if (Stopwatch.GetElapsedTime(start) >= (arguments.Deadline ?? TimeSpan.MaxValue))
                return new SimilarityAnswer(hits, cost with { EndedBy = SearchEnd.Deadline }, isBehind);
            if (cost.Reads >= (arguments.MostReads ?? int.MaxValue))
                return new SimilarityAnswer(hits, cost with { EndedBy = SearchEnd.MaxReads }, isBehind);
            int wanted = (int)Math.Min(step, left);
            CollectionResult<string> next = await cursor.NextAsync(wanted, stop);
            cost = Sum(cost, next.Statistics);
            foreach (CollectionHit<string> hit in next)
            {
                if (IsBeyond(arguments, set.Settings.Metric, hit.Score))
                    return new SimilarityAnswer(hits, cost, isBehind);
                if (arguments.Filter!.Matches(hit.Payload.Span))
                    hits.Add(hit);
                if (hits.Count == arguments.Count)
                    return new SimilarityAnswer(hits, cost, isBehind);
            }

            if (next.Count < wanted)
                return new SimilarityAnswer(hits, cost, isBehind);
            left -= next.Count;
            isBehind = true;
        }

        return new SimilarityAnswer(hits, cost with { EndedBy = SearchEnd.Limit }, isBehind);
    }

    private static SearchStatistics Sum(SearchStatistics before, SearchStatistics step) => step with
    {
        Reads = before.Reads + step.Reads,
        PagesRead = before.PagesRead + step.PagesRead,
        BytesRead = before.BytesRead + step.BytesRead,
        Rounds = before.Rounds + step.Rounds,
        Hops = before.Hops + step.Hops,
        CacheHits = before.CacheHits + step.CacheHits,
        CodeDistances = before.CodeDistances + step.CodeDistances,
        ExactDistances = before.ExactDistances + step.ExactDistances,
        ElapsedUs = before.ElapsedUs + step.ElapsedUs,
        QueueUs = before.QueueUs + step.QueueUs,
        CpuUs = before.CpuUs + step.CpuUs,
    };
}
