using System.Globalization;
using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;
using System.Runtime.InteropServices;
using System.Text;
using VectorPipe.Cluster.Catalogue;
using VectorPipe.Server.Commands;
using VectorPipe.Server.Resp;
using VectorPipe.Server.Sets;
using VectorPipe.Tasks;

namespace VectorPipe.Server.Clustering;

/// <summary>A command that reads all shards of a set: each is asked, side by side, and one reply is made of theirs.</summary>
/// <param name="call">The command.</param>
/// <param name="set">The set.</param>
/// <param name="settings">What is fixed about it.</param>
/// <param name="readAsync">Carries out a command about one shard, here or on another node.</param>
internal sealed class ScatteredRead(Call call, ClusterSet set, SetSettings settings, Func<ClusterShard, Call, ValueTask> readAsync)
{
    // Figures of VINFO that are those of the largest shard, and those that add up.
    private static readonly HashSet<string> _mosts = ["hnsw-max-node-uid", "vp-generation"];
    private static readonly HashSet<string> _sums = ["size", "attributes-count", "vp-memory-bytes", "vp-waiting"];

    private readonly ReadOnlyMemory<byte> _key = call.Command.Memory(1);

    // What was asked of shards, used until the reply is written.
    private readonly List<Call> _parts = new(set.Shards.Count + 1);
    private long _bytes;

    /// <summary>Carries it out, and writes its reply.</summary>
    /// <param name="name">Its name.</param>
    [AsyncMethodBuilder(typeof(PooledTaskBuilder))]
    public async ValueTask RunAsync(string name)
    {
        try
        {
            if (name == "vsim")
                await SearchAsync();
            else
                await RunOtherAsync(name);
        }
        finally
        {
            // Also after an error, all shards have ended.
            foreach (Call part in _parts)
            {
                part.Clear();
                call.Session.Parts.Keep(part);
            }
        }
    }

    private Task RunOtherAsync(string name) => name switch
    {
        "vcard" => CountAsync(),
        "vinfo" => InfoAsync(),
        "vlinks" => LinksAsync(),
        "vrandmember" => RandomAsync(),
        "vrange" => RangeAsync(),
        _ => throw new CommandException($"ERR {name}: expected a set with one shard, found {set.Shards.Count}"),
    };

    private async Task CountAsync() => call.Reply.Integer((await CountsAsync()).Sum());

    private async Task<long[]> CountsAsync() =>
        [.. (await AskAllAsync(Command("VCARD"u8.ToArray(), _key))).Select(reply => reply.Integer())];

    private async Task InfoAsync()
    {
        ReplyReader[] replies = await AskAllAsync(Command("VINFO"u8.ToArray(), _key));
        var numbers = new Dictionary<string, long>();
        var texts = new Dictionary<string, string>();
        foreach (ReplyReader one in replies)
        {
            ReplyReader reply = one;
            for (int left = reply.Array() / 2; left > 0; left--)
            {
                string name = Encoding.ASCII.GetString(reply.Simple());
                if (!reply.IsInteger)
                {
                    texts.TryAdd(name, Encoding.UTF8.GetString(reply.Simple()));
                    continue;
                }

                long value = reply.Integer();
                bool isFirst = numbers.TryAdd(name, value);
                if (!isFirst && _sums.Contains(name))
                    numbers[name] += value;
                else if (!isFirst && _mosts.Contains(name))
                    numbers[name] = Math.Max(numbers[name], value);
            }
        }

        // Each replica has a number of its own; the set has one in its cluster.
        numbers["vset-uid"] = set.Id;
        numbers["vp-shards"] = set.Shards.Count;
        call.Reply.Map(texts.Count + numbers.Count);
        foreach ((string name, string text) in texts)
        {
            call.Reply.Simple(name);
            call.Reply.Simple(text);
        }

        foreach ((string name, long value) in numbers)
        {
            call.Reply.Simple(name);
            call.Reply.Integer(value);
        }
    }

    // As elements have no links of their own, their nearest neighbours stand for them: those of all shards.
    private async Task LinksAsync()
    {
        bool withScores = VectorReads.LinksHaveScores(call);
        if (await FindVectorAsync(2) is not { } vector)
        {
            call.Reply.Null();
            return;
        }

        int count = 2 * settings.Links;
        RespCommand search = Search(vector.Span);
        Add(search, "COUNT"u8);
        Add(search, Bytes(count + 1));
        List<PartHit> hits = await FindAsync(search, count + 1, withAttributes: false);
        hits.RemoveAll(hit => hit.Name.Span.SequenceEqual(call.Command[2]));
        count = Math.Min(count, hits.Count);
        VectorReads.BeginLinks(call.Reply, count, withScores);
        foreach (PartHit hit in hits[..count])
        {
            call.Reply.Bulk(hit.Name.Span);
            if (withScores)
                call.Reply.Double(ScoreScale.Of(settings.Metric, hit.Score));
        }
    }

    // Each shard draws as many as fall to it by chance.
    private async Task RandomAsync()
    {
        (int count, bool isOne) = VectorReads.ReadRandom(call);
        int[] wanted = Share(await CountsAsync(), count);
        ReplyReader[] replies = await Task.WhenAll(
            from i in Enumerable.Range(0, wanted.Length)
            where wanted[i] != 0
            select AskAsync(set.Shards[i], Command("VRANDMEMBER"u8.ToArray(), _key, Bytes(wanted[i]))).AsTask());
        ReadOnlyMemory<byte>[] drawn = [.. replies.SelectMany(NamesOf)];
        Random.Shared.Shuffle(drawn);
        VectorReads.BeginRandom(call.Reply, drawn.Length, isOne);
        foreach (ReadOnlyMemory<byte> name in drawn)
            call.Reply.Bulk(name.Span);
    }

    // How many of so many elements fall to each shard if all elements are drawn alike; below 0, some may come several times.
    private static int[] Share(long[] left, int count)
    {
        var wanted = new int[left.Length];
        long total = left.Sum();
        for (int drawn = 0; drawn < Math.Abs(count) && total > 0; drawn++)
        {
            int shard = 0;
            for (long place = Random.Shared.NextInt64(total); place >= left[shard]; shard++)
                place -= left[shard];
            wanted[shard] += Math.Sign(count);
            if (count < 0)
                continue;
            left[shard]--;
            total--;
        }

        return wanted;
    }

    private async Task RangeAsync()
    {
        var first = new FirstNames(VectorReads.ReadRangeCount(call), call.Server.Options.ReplyBytes);
        ReplyReader[] replies = await AskAllAsync(call.Command);
        foreach (ReadOnlyMemory<byte> name in replies.SelectMany(NamesOf))
            first.Add(name.ToArray());
        byte[][] sorted = first.ToArray();
        call.Reply.Array(sorted.Length);
        foreach (byte[] name in sorted)
            call.Reply.Bulk(name);
    }

    [AsyncMethodBuilder(typeof(PooledTaskBuilder))]
    private async ValueTask SearchAsync()
    {
        (ReadOnlyMemory<float> query, int end) = call.Command.Is(2, "ELE")
            ? (await FindVectorAsync(3) ?? throw SimilarityCommand.NoElement(), 4)
            : SimilarityCommand.ReadVector(call, settings);
        var arguments = SimilarityArguments.Read(call, end);
        if (arguments.Trace is not null || arguments.IsCursor)
        {
            string option = arguments.IsCursor ? "XCURSOR" : "XTRACE";
            throw new CommandException($"ERR {option}: expected a set with one shard, found {set.Shards.Count}");
        }

        RespCommand search = Search(query.Span);
        for (int i = end; i < call.Count; i++)
            Add(search, call.Command[i]);
        List<PartHit> hits = await FindAsync(search, arguments.Count, arguments.WithAttributes);
        var form = new SimilarityReply(call.Reply, arguments.WithScores, arguments.WithAttributes);
        form.Begin(hits.Count);
        foreach (PartHit hit in hits)
        {
            call.Reply.Bulk(hit.Name.Span);
            form.EndHit(arguments.ScoreOf(settings.Metric, hit.Score), hit.Attributes.Span);
        }
    }

    // The nearest of all shards, by scores of the metric itself: those of clients are rounded. Each shard's hits are in order already.
    [AsyncMethodBuilder(typeof(PooledTaskBuilder<>))]
    private async ValueTask<List<PartHit>> FindAsync(RespCommand search, int count, bool withAttributes)
    {
        Add(search, "WITHSCORES"u8);
        Add(search, "XRAW"u8);
        ReplyReader[] replies = await AskAllAsync(search);

        // The first hit of each shard that is not among the nearest yet, and how many there are from it on.
        var left = new (int Count, PartHit First)[replies.Length];
        int all = 0;
        for (int i = 0; i < replies.Length; i++)
        {
            left[i].Count = replies[i].Array() / (withAttributes ? 3 : 2);
            all += left[i].Count;
            Read(i);
        }

        var hits = new List<PartHit>(Math.Min(count, all));
        while (hits.Count < Math.Min(count, all))
        {
            int nearest = -1;
            for (int i = 0; i < left.Length; i++)
            {
                if (left[i].Count > 0 && (nearest < 0 || DistanceOf(left[i].First).CompareTo(DistanceOf(left[nearest].First)) < 0))
                    nearest = i;
            }

            hits.Add(left[nearest].First);
            left[nearest].Count--;
            Read(nearest);
        }

        return hits;

        void Read(int shard)
        {
            if (left[shard].Count == 0)
                return;
            ref ReplyReader reply = ref replies[shard];
            left[shard].First = new PartHit(
                reply.Bulk()!.Value, (float)reply.Double(), withAttributes ? reply.Bulk() ?? default : default);
        }
    }

    private float DistanceOf(in PartHit hit) => settings.Metric == DistanceMetric.L2 ? hit.Score : -hit.Score;

    // The vector of the element that an argument names, from its shard; null if there is none.
    private async Task<ReadOnlyMemory<float>?> FindVectorAsync(int argument)
    {
        byte[] element = Encoding.UTF8.GetBytes(call.Element(argument));
        ReplyReader reply = await AskAsync(set.ShardOf(element), Command("VEMB"u8.ToArray(), _key, element));
        if (reply.IsNull)
            return null;
        float[] vector = new float[reply.Array()];
        for (int i = 0; i < vector.Length; i++)
            vector[i] = (float)reply.Double();
        return vector;
    }

    // Ends when all shards have ended, also if one has failed.
    [AsyncMethodBuilder(typeof(PooledTaskBuilder<>))]
    private async ValueTask<ReplyReader[]> AskAllAsync(RespCommand command)
    {
#pragma warning disable CA2012 // Each is awaited once, below.
        var asked = new ValueTask<ReplyReader>[set.Shards.Count];
        for (int i = 0; i < asked.Length; i++)
            asked[i] = AskAsync(set.Shards[i], command);
#pragma warning restore CA2012
        var replies = new ReplyReader[asked.Length];
        ExceptionDispatchInfo? failure = null;
        for (int i = 0; i < asked.Length; i++)
        {
            try
            {
                replies[i] = await asked[i];
            }
            catch (Exception e)
            {
                failure ??= ExceptionDispatchInfo.Capture(e);
            }
        }

        failure?.Throw();
        return replies;
    }

    [AsyncMethodBuilder(typeof(PooledTaskBuilder<>))]
    private async ValueTask<ReplyReader> AskAsync(ClusterShard shard, RespCommand command)
    {
        Call part = NewPart();
        for (int i = 0; i < command.Count; i++)
            Add(part.Command, command[i]);
        part.Reply.Version = 2;
        await readAsync(shard, part);
        part.Command.Clear();
        ReadOnlyMemory<byte> reply = part.Reply.WrittenMemory;

        // All of them are held at once.
        int most = call.Server.Options.ReplyBytes;
        if (Interlocked.Add(ref _bytes, reply.Length) > most)
            throw new ReplyTooLongException(most);
        return reply.Span[0] == '-'
            ? throw new CommandException(Encoding.UTF8.GetString(reply.Span[1..]).TrimEnd())
            : new ReplyReader(reply);
    }

    // Of the one thread that begins to ask.
    private Call NewPart()
    {
        if (!call.Session.Parts.TryTake(out Call? part))
            part = new Call(call.Server, call.Session);
        part.Stop = call.Stop;
        _parts.Add(part);
        return part;
    }

    private RespCommand Command(params ReadOnlySpan<ReadOnlyMemory<byte>> arguments)
    {
        RespCommand command = NewPart().Command;
        foreach (ReadOnlyMemory<byte> argument in arguments)
            Add(command, argument.Span);
        return command;
    }

    // The beginning of a search; its options follow.
    private RespCommand Search(ReadOnlySpan<float> query)
    {
        RespCommand command = NewPart().Command;
        Add(command, "VSIM"u8);
        Add(command, _key.Span);
        Add(command, "FP32"u8);
        Add(command, MemoryMarshal.AsBytes(query));
        return command;
    }

    private static void Add(RespCommand command, ReadOnlySpan<byte> argument)
    {
        command.Append(argument);
        command.EndArgument();
    }

    private static IEnumerable<ReadOnlyMemory<byte>> NamesOf(ReplyReader reply)
    {
        for (int left = reply.Array(); left > 0; left--)
            yield return reply.Bulk()!.Value;
    }

    private static byte[] Bytes(int number) => Encoding.ASCII.GetBytes(number.ToString(CultureInfo.InvariantCulture));

    private readonly record struct PartHit(ReadOnlyMemory<byte> Name, float Score, ReadOnlyMemory<byte> Attributes);
}
