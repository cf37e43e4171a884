using System.Diagnostics;
using System.Runtime.CompilerServices;
using VectorPipe.Server.Filtering;
using VectorPipe.Server.Resp;
using VectorPipe.Server.Sets;
using VectorPipe.Tasks;

namespace VectorPipe.Server.Commands;

/// <summary>VSIM: the elements nearest to a vector or an element.</summary>
internal static class SimilarityCommand
{
    [AsyncMethodBuilder(typeof(PooledTaskBuilder))]
    public static async ValueTask RunAsync(Call call)
    {
        if (call.FindSet(1) is not { } held)
        {
            // Also with version 3, and whatever else is wrong.
            WriteNone(call);
            return;
        }

        using (held)
        {
            // Most that are refused are refused here: an exception would cost as much as a tenth of a search.
            if (call.Server.IsFull)
            {
                call.Reply.Error(call.Server.Refuse());
                return;
            }

            VectorSet set = held.Set;
            long start = Stopwatch.GetTimestamp();
            (ReadOnlyMemory<float> query, int end) =
                call.Command.Is(2, "ELE") ? await ReadElementAsync(call, set) : ReadVector(call, set.Settings);
            var arguments = SimilarityArguments.Read(call, end);
            SearchOptions options = arguments.ToOptions(call.Server.DefaultSearch, set.Collection.Count);
            if (arguments.IsCursor)
            {
                await CursorCommand.OpenAsync(call, set, query, arguments, options);
                return;
            }

            if (arguments.Filter is { } filter)
            {
                (SimilarityHits hits, SearchStatistics cost) = await FilterAsync(call, set, query, arguments, filter, options);
                call.Server.Searches.Count(start, cost.Reads);
                Write(call.Reply, arguments, set.Settings.Metric, hits, cost);
                return;
            }

            Include include = arguments.WithAttributes ? Include.Payload : Include.Key;
            await set.Collection.SearchAsync(query, call.Hits, arguments.Count, options, include, cancellationToken: call.Stop);
            call.Server.Searches.Count(start, call.Hits.Statistics.Reads);
            Write(call.Reply, arguments, set.Settings.Metric, new SimilarityHits(call.Hits), call.Hits.Statistics);
        }
    }

    // What matches rarely is looked for in steps at once, and so is what takes long or has limits, which are those of all steps.
    [AsyncMethodBuilder(typeof(PooledTaskBuilder<>))]
    private static async ValueTask<(SimilarityHits Hits, SearchStatistics Cost)> FilterAsync(
        Call call, VectorSet set, ReadOnlyMemory<float> query, SimilarityArguments arguments, AttributeFilter filter, SearchOptions options)
    {
        SearchStatistics near = default;
        bool inSteps = filter.IsRare || arguments.IsExact || arguments.MostReads is not null || arguments.Deadline is not null;
        if (!inSteps)
        {
            bool isEnough = await SimilaritySearch.TryFindNearAsync(set, call, query, arguments, options);
            near = call.Hits.Statistics;
            if (isEnough)
                return (new SimilarityHits(call.Hits, call.Matches), near);
        }

        SimilarityAnswer answer = await SimilaritySearch.FindAsync(set, query, arguments, options, call.Stop);
        filter.IsRare = answer.IsBehindNearest;
        return (new SimilarityHits(answer.Hits), SimilaritySearch.Sum(near, answer.Cost));
    }

    [AsyncMethodBuilder(typeof(PooledTaskBuilder<>))]
    private static async ValueTask<(ReadOnlyMemory<float> Query, int End)> ReadElementAsync(Call call, VectorSet set)
    {
        CollectionRecord<string> record = await set.Collection.GetAsync(call.Element(3), Include.Vector, call.Stop) ?? throw NoElement();
        float[] query = call.VectorOf(set.Settings.Dimension);
        record.GetVector<float>().CopyTo(query);
        return (query, 4);
    }

    public static CommandException NoElement() => new("ERR element not found in set");

    /// <summary>Reads the vector of a search, in the dimension of the set.</summary>
    /// <exception cref="CommandException">It is none, or has another dimension.</exception>
    public static (ReadOnlyMemory<float> Query, int End) ReadVector(Call call, SetSettings settings)
    {
        var vector = VectorArguments.Read(call, 2, mayReduce: false);
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

    private static void WriteNone(Call call)
    {
        bool isTraced = SimilarityArguments.HasTrace(call);
        bool isCursor = SimilarityArguments.HasCursor(call);
        if (isTraced || isCursor)
            call.Reply.Array(2);
        call.Reply.Array(0);
        if (isCursor)
            call.Reply.Integer(0);
        else if (isTraced)
            call.Reply.Map(0);
    }

    private static void Write(
        RespWriter reply, in SimilarityArguments arguments, DistanceMetric metric, in SimilarityHits hits, in SearchStatistics cost)
    {
        if (arguments.Trace is not null)
            reply.Array(2);
        WriteHits(reply, arguments, metric, hits);
        if (arguments.Trace is { } trace)
            TraceReply.Write(reply, trace, cost);
    }

    /// <summary>Writes hits, nearest first: those that are not too far.</summary>
    public static void WriteHits(RespWriter reply, in SimilarityArguments arguments, DistanceMetric metric, in SimilarityHits hits)
    {
        int count = 0;
        while (count < hits.Count && !SimilaritySearch.IsBeyond(arguments, metric, hits.ScoreOf(count)))
            count++;
        var form = new SimilarityReply(reply, arguments.WithScores, arguments.WithAttributes);
        form.Begin(count);
        for (int i = 0; i < count; i++)
        {
            hits.WriteName(reply, i);
            form.EndHit(arguments.ScoreOf(metric, hits.ScoreOf(i)), hits.AttributesOf(i));
        }
    }
}
