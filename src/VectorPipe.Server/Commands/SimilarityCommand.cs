using System.Diagnostics;
using VectorPipe.Server.Resp;
using VectorPipe.Server.Sets;

namespace VectorPipe.Server.Commands;

/// <summary>VSIM: the elements nearest to a vector or an element.</summary>
internal static class SimilarityCommand
{
    // Without a set the answer is an empty array, also with version 3, and whatever else is wrong.
    public static Task RunAsync(Call call) => VectorReads.WithSetAsync(call, static reply => reply.Array(0), SearchAsync);

    private static async Task SearchAsync(Call call, VectorSet set)
    {
        long start = Stopwatch.GetTimestamp();
        (ReadOnlyMemory<float> query, int end) = await ReadQueryAsync(call, set);
        var arguments = SimilarityArguments.Read(call, end);
        SearchOptions options = arguments.ToOptions(call.Server.DefaultSearch, set.Collection.Count);
        SimilarityAnswer answer = await SimilaritySearch.FindAsync(set, query, arguments, options, call.Stop);
        call.Server.Searches.Count(start, answer.Cost.Reads);
        Write(call.Reply, arguments, set.Settings.Metric, answer.Hits);
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

    private static void Write(
        RespWriter reply, SimilarityArguments arguments, DistanceMetric metric, IReadOnlyList<CollectionHit<string>> hits)
    {
        int count = 0;
        while (count < hits.Count && !SimilaritySearch.IsBeyond(arguments, metric, hits[count]))
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
