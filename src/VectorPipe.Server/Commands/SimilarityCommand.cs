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
                : throw NoElement();
        }

        return ReadVector(call, set.Settings);
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

    private static void Write(
        RespWriter reply, SimilarityArguments arguments, DistanceMetric metric, IReadOnlyList<CollectionHit<string>> hits)
    {
        int count = 0;
        while (count < hits.Count && !SimilaritySearch.IsBeyond(arguments, metric, hits[count]))
            count++;
        var form = new SimilarityReply(reply, arguments.WithScores, arguments.WithAttributes);
        form.Begin(count);
        for (int i = 0; i < count; i++)
        {
            reply.Bulk(hits[i].Key);
            form.EndHit(arguments.ScoreOf(metric, hits[i].Score), hits[i].Payload.Span);
        }
    }
}
