using System.Runtime.CompilerServices;
using VectorPipe.Server.Sets;
using VectorPipe.Tasks;

namespace VectorPipe.Server.Commands;

/// <summary>Searches a set for the elements nearest to a vector, with a filter or without.</summary>
internal static class SimilaritySearch
{
    public static async Task<SimilarityAnswer> FindAsync(
        VectorSet set, ReadOnlyMemory<float> query, SimilarityArguments arguments, SearchOptions options, CancellationToken stop)
    {
        if (arguments.Filter is not null)
        {
            var cursor = new SimilarityCursor(set, arguments, set.Collection.OpenSearch(query, options, Include.Payload));
            return await cursor.NextAsync(arguments.Count, stop);
        }

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
        int wanted = (int)Math.Min(SimilarityCursor.FirstStepOf(arguments.Count), arguments.FilterEffort);
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

    /// <summary>Whether a hit is farther than those that were asked for.</summary>
    public static bool IsBeyond(in SimilarityArguments arguments, DistanceMetric metric, float score) =>
        arguments.Epsilon is { } most && 1 - ScoreScale.Of(metric, score) > most;

    /// <summary>What a search cost with those before it.</summary>
    public static SearchStatistics Sum(SearchStatistics before, SearchStatistics step) => step with
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
