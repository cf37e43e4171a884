using System.Diagnostics;
using VectorPipe.Server.Resp;
using VectorPipe.Server.Sets;

namespace VectorPipe.Server.Commands;

/// <summary>VSIM: the elements nearest to a vector or an element.</summary>
internal static class SimilarityCommand
{
    // The first hits that a filter looks at, and the growth of each step.
    private const int FirstStep = 64;
    private const int MostStep = 4096;

    // Without a set the answer is an empty array, also with version 3, and whatever else is wrong.
    public static Task RunAsync(Call call) => VectorReads.WithSetAsync(call, static reply => reply.Array(0), SearchAsync);

    private static async Task SearchAsync(Call call, VectorSet set)
    {
        (ReadOnlyMemory<float> query, int end) = await ReadQueryAsync(call, set);
        var arguments = SimilarityArguments.Read(call, end);
        SearchOptions options = arguments.ToOptions(call.Server.DefaultSearch, set.Collection.Count);
        IReadOnlyList<CollectionHit<string>> hits = arguments.Filter is null
            ? await FindAsync(set, query, arguments, options, call.Stop)
            : await FilterAsync(set, query, arguments, options, call.Stop);
        Write(call.Reply, arguments, set.Settings.Metric, hits);
    }

    private static async ValueTask<(ReadOnlyMemory<float> Query, int End)> ReadQueryAsync(Call call, VectorSet set)
    {
        if (call.Command.Is(2, "ELE"))
        {
            return await set.Collection.GetAsync(call.Element(3), Include.Vector, call.Stop) is { } record
                ? (record.GetVector<float>().ToArray(), 4)
                : throw new CommandException("ERR element not found in set");
        }

        VectorArguments vector = VectorArguments.Read(call, 2, mayReduce: false);
        SetSettings settings = set.Settings;
        int length = vector.Values.Length;
        if (length == settings.Dimension)
            return (vector.Values, vector.End);
        if (settings.InputDimension == 0)
            throw new CommandException($"ERR Vector dimension mismatch - got {length} but set has {settings.Dimension}");
        return length == settings.InputDimension
            ? (Projection.Apply(vector.Values, settings.Dimension), vector.End)
            : throw new CommandException(
                $"ERR Input dimension mismatch for projection - got {length} but projection expects {settings.InputDimension}");
    }

    private static async Task<IReadOnlyList<CollectionHit<string>>> FindAsync(
        VectorSet set, ReadOnlyMemory<float> query, SimilarityArguments arguments, SearchOptions options, CancellationToken stop)
    {
        Include include = arguments.WithAttributes ? Include.Payload : Include.Key;
        return await set.Collection.SearchAsync(query, arguments.Count, options, include, cancellationToken: stop);
    }

    // Attributes are texts that nothing is known about before: hits are looked at from the nearest on, until enough of them match.
    private static async Task<IReadOnlyList<CollectionHit<string>>> FilterAsync(
        VectorSet set, ReadOnlyMemory<float> query, SimilarityArguments arguments, SearchOptions options, CancellationToken stop)
    {
        CollectionCursor<string> cursor = set.Collection.OpenSearch(query, options, Include.Payload);
        var hits = new List<CollectionHit<string>>();
        long left = arguments.FilterEffort;
        long reads = 0;
        long start = Stopwatch.GetTimestamp();
        for (int step = Math.Clamp(arguments.Count, FirstStep, MostStep); left > 0; step = Math.Min(2 * step, MostStep))
        {
            // The limits are those of each search in turn, and of all of them.
            bool isLate = Stopwatch.GetElapsedTime(start) >= (arguments.Deadline ?? TimeSpan.MaxValue);
            if (isLate || reads >= (arguments.MostReads ?? long.MaxValue))
                break;
            int wanted = (int)Math.Min(step, left);
            CollectionResult<string> next = await cursor.NextAsync(wanted, stop);
            foreach (CollectionHit<string> hit in next)
            {
                if (IsBeyond(arguments, set.Settings.Metric, hit))
                    return hits;
                if (arguments.Filter!.Matches(hit.Payload.Span))
                    hits.Add(hit);
                if (hits.Count == arguments.Count)
                    return hits;
            }

            if (next.Count < wanted)
                break;
            reads += next.Statistics.Reads;
            left -= next.Count;
        }

        return hits;
    }

    private static bool IsBeyond(SimilarityArguments arguments, DistanceMetric metric, CollectionHit<string> hit) =>
        arguments.Epsilon is { } most && 1 - ScoreScale.Of(metric, hit.Score) > most;

    private static void Write(
        RespWriter reply, SimilarityArguments arguments, DistanceMetric metric, IReadOnlyList<CollectionHit<string>> hits)
    {
        int count = 0;
        while (count < hits.Count && !IsBeyond(arguments, metric, hits[count]))
            count++;
        bool hasBoth = arguments.WithScores && arguments.WithAttributes;
        bool isMap = reply.Version == 3 && (arguments.WithScores || arguments.WithAttributes);
        if (isMap)
            reply.Map(count);
        else
            reply.Array(count * (1 + (arguments.WithScores ? 1 : 0) + (arguments.WithAttributes ? 1 : 0)));
        for (int i = 0; i < count; i++)
        {
            reply.Bulk(hits[i].Key);
            if (isMap && hasBoth)
                reply.Array(2);
            if (arguments.WithScores)
                reply.Double(ScoreScale.Of(metric, hits[i].Score));
            if (!arguments.WithAttributes)
                continue;
            if (hits[i].Payload.IsEmpty)
                reply.Null();
            else
                reply.Bulk(hits[i].Payload.Span);
        }
    }
}
