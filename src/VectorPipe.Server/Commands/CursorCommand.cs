using System.Diagnostics;
using VectorPipe.Server.Connections;
using VectorPipe.Server.Resp;
using VectorPipe.Server.Sets;

namespace VectorPipe.Server.Commands;

/// <summary>Searches that go on: VSIM with XCURSOR, and XNEXT, which asks for the next hits.</summary>
internal static class CursorCommand
{
    public const string Name = "xnext";

    private const long None = 0;

    /// <summary>Searches, and keeps the search for XNEXT unless it is at its end.</summary>
    public static async Task OpenAsync(
        Call call, VectorSet set, ReadOnlyMemory<float> query, SimilarityArguments arguments, SearchOptions options)
    {
        Include include = arguments.WithAttributes || arguments.Filter is not null ? Include.Payload : Include.Key;
        var cursor = new SimilarityCursor(set, arguments, set.Collection.OpenSearch(query, options, include));
        WriteHits(call, cursor, await NextAsync(call, cursor, arguments.Count));

        // Behind them: if they are too many for a reply, nobody would hear its number.
        call.Reply.Integer(cursor.HasEnded ? None : call.Session.Cursors.Add(cursor));
    }

    /// <summary>XNEXT key id [COUNT n].</summary>
    public static async Task RunAsync(Call call)
    {
        if (!call.TryInteger(2, out long id) || id < 1)
            throw new CommandException("ERR invalid cursor");
        if (call.Count is not (3 or 5) || (call.Count == 5 && !call.Command.Is(3, "COUNT")))
            throw CommandException.Syntax();
        int? count = call.Count == 5 ? SimilarityArguments.ReadCount(call, 4) : null;
        ClientCursors cursors = call.Session.Cursors;
        SimilarityCursor cursor = cursors.Take(id);
        bool isKept = true;
        try
        {
            // The set that the client may read, not the one of its name that may have gone meanwhile.
            using HeldSet? held = call.FindSet(1);
            if (held?.Set != cursor.Set)
                throw new CommandException($"NOCURSOR Cursor {id} is of another set, or of one that has gone");
            SimilarityAnswer answer = await NextAsync(call, cursor, count ?? cursor.Arguments.Count);
            try
            {
                WriteHits(call, cursor, answer);
            }
            catch (ReplyTooLongException)
            {
                cursor.PutBack(answer.Hits);
                throw;
            }

            isKept = !cursor.HasEnded;
            call.Reply.Integer(isKept ? id : None);
        }
        finally
        {
            if (isKept)
                cursors.Return(id, cursor);
            else
                cursors.End();
        }
    }

    private static async Task<SimilarityAnswer> NextAsync(Call call, SimilarityCursor cursor, int count)
    {
        long start = Stopwatch.GetTimestamp();
        SimilarityAnswer answer = await cursor.NextAsync(count, call.Stop);
        call.Server.Searches.Count(start, answer.Cost.Reads);
        return answer;
    }

    // Begins the reply; the number of the cursor follows.
    private static void WriteHits(Call call, SimilarityCursor cursor, in SimilarityAnswer answer)
    {
        call.Reply.Array(2);
        SimilarityCommand.WriteHits(call.Reply, cursor.Arguments, cursor.Set.Settings.Metric, new SimilarityHits(answer.Hits));
    }
}
