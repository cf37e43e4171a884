using System.Runtime.InteropServices;
using System.Text;
using VectorPipe.Server.Resp;
using VectorPipe.Server.Sets;
using static VectorPipe.Server.Access.AccessCategory;

namespace VectorPipe.Server.Commands;

/// <summary>The commands that read a vector set.</summary>
internal static class VectorReads
{
    private const int MostRandom = 1_000_000;

    public static IReadOnlyList<CommandInfo> Commands { get; } =
    [
        new("vsim", -4, CommandKind.Read, Read | Vector | Slow, SimilarityCommand.RunAsync, 1),
        new(CursorCommand.Name, -3, CommandKind.Control, Read | Vector | Slow, CursorCommand.RunAsync, 1),
        new("vcard", 2, CommandKind.Read, Read | Vector | Fast, call => WithSetAsync(call, r => r.Integer(0), CountAsync), 1),
        new("vdim", 2, CommandKind.Read, Read | Vector | Fast, call => WithSetAsync(call, NoKey, DimensionAsync), 1),
        new("vemb", -3, CommandKind.Read, Read | Vector | Fast, VectorAsync, 1),
        new("vinfo", 2, CommandKind.Read, Read | Vector | Slow, call => ScanSetAsync(call, r => r.NullArray(), InfoAsync), 1),
        new("vlinks", -3, CommandKind.Read, Read | Vector | Slow, LinksAsync, 1),
        new("vgetattr", 3, CommandKind.Read, Read | Vector | Fast, call => WithSetAsync(call, r => r.Null(), AttributesAsync), 1),
        new("vismember", 3, CommandKind.Read, Read | Vector | Fast, call => WithSetAsync(call, NotThere, IsMemberAsync), 1),
        new("vrandmember", -2, CommandKind.Read, Read | Vector | Slow, RandomAsync, 1),
        new("vrange", -4, CommandKind.Read, Read | Vector | Slow, RangeAsync, 1),
    ];

    /// <summary>Runs with the set that an argument names, or answers that there is none.</summary>
    public static async Task WithSetAsync(Call call, Action<RespWriter> absent, Func<Call, VectorSet, Task> run, int name = 1)
    {
        if (call.FindSet(name) is not { } held)
        {
            absent(call.Reply);
            return;
        }

        using (held)
            await run(call, held.Set);
    }

    // The same for a command that goes over all elements: a few of them at once.
    private static Task ScanSetAsync(Call call, Action<RespWriter> absent, Func<Call, VectorSet, Task> run) =>
        WithSetAsync(call, absent, async (call, set) =>
        {
            await call.Server.Scans.WaitAsync(call.Stop);
            try
            {
                await run(call, set);
            }
            finally
            {
                call.Server.Scans.Release();
            }
        });

    private static void NoKey(RespWriter reply) => reply.Error("ERR key does not exist");

    private static void NotThere(RespWriter reply) => reply.Boolean(false);

    private static Task CountAsync(Call call, VectorSet set)
    {
        call.Reply.Integer(set.Collection.Count);
        return Task.CompletedTask;
    }

    private static Task DimensionAsync(Call call, VectorSet set)
    {
        call.Reply.Integer(set.Settings.Dimension);
        return Task.CompletedTask;
    }

    private static async Task AttributesAsync(Call call, VectorSet set)
    {
        CollectionRecord<string>? record = await set.Collection.GetAsync(call.Element(2), Include.Payload, call.Stop);
        if (record is { Payload.IsEmpty: false })
            call.Reply.Bulk(record.Payload.Span);
        else
            call.Reply.Null();
    }

    private static async Task IsMemberAsync(Call call, VectorSet set) =>
        call.Reply.Boolean(await set.Collection.GetAsync(call.Element(2), Include.Key, call.Stop) is not null);

    private static Task VectorAsync(Call call)
    {
        bool isRaw = false;
        for (int at = 3; at < call.Count; at++)
        {
            if (!call.Command.Is(at, "RAW"))
                throw new CommandException("ERR invalid option");
            isRaw = true;
        }

        return WithSetAsync(call, r => r.Null(), async (call, set) =>
        {
            if (await set.Collection.GetAsync(call.Element(2), Include.Vector, call.Stop) is { } record)
                WriteVector(call.Reply, record.GetVector<float>(), isRaw, set.Settings.Metric);
            else
                call.Reply.Null();
        });
    }

    // Vectors are kept as they came. Raw, they are what Redis keeps: normalized, with the norm beside.
    private static void WriteVector(RespWriter reply, ReadOnlySpan<float> vector, bool isRaw, DistanceMetric metric)
    {
        if (!isRaw)
        {
            reply.Array(vector.Length);
            foreach (float component in vector)
                reply.Double(component);
            return;
        }

        double norm = 0;
        foreach (float component in vector)
            norm += (double)component * component;
        norm = metric == DistanceMetric.Cosine ? Math.Sqrt(norm) : 1;
        float[] normalized = vector.ToArray();
        for (int i = 0; i < normalized.Length; i++)
            normalized[i] = (float)(normalized[i] / norm);
        reply.Array(3);
        reply.Simple("f32");
        reply.Bulk(MemoryMarshal.AsBytes(normalized.AsSpan()));
        reply.Double(norm);
    }

    private static async Task InfoAsync(Call call, VectorSet set)
    {
        SetSettings settings = set.Settings;
        CollectionStatus status = set.Collection.Status;
        long attributed = await set.Collection.CountAsync(Filter.Equal(VectorSet.AttributedName, true), call.Stop);
        RespWriter reply = call.Reply;
        (string Name, long Value)[] numbers =
        [
            ("hnsw-m", settings.Links),
            ("vector-dim", settings.Dimension),
            ("projection-input-dim", settings.InputDimension),
            ("size", set.Collection.Count),
            ("max-level", 0),
            ("attributes-count", attributed),
            ("vset-uid", settings.Uid),
            ("hnsw-max-node-uid", Math.Max(status.Sequence, status.Count)),
            ("vp-generation", status.Generation),
            ("vp-memory-bytes", status.MemoryBytes),
            ("vp-waiting", status.Waiting),
        ];
        reply.Map(numbers.Length + 3);
        reply.Simple("quant-type");
        reply.Simple(NameOf(settings.Quantization));
        reply.Simple("vp-metric");
        reply.Simple(NameOf(settings.Metric));
        reply.Simple("vp-device");
        reply.Simple(status.DeviceName ?? "none");
        foreach ((string name, long value) in numbers)
        {
            reply.Simple(name);
            reply.Integer(value);
        }
    }

    // Nodes of a page are linked as a whole, so an element has no links of its own: its nearest neighbours stand for them.
    private static Task LinksAsync(Call call)
    {
        bool withScores = LinksHaveScores(call);
        return WithSetAsync(call, r => r.Null(), async (call, set) =>
        {
            int count = 2 * set.Settings.Links;
            CollectionResult<string>? hits = await set.Collection.SearchNearAsync(
                call.Element(2), count, cancellationToken: call.Stop);
            if (hits is null)
            {
                call.Reply.Null();
                return;
            }

            BeginLinks(call.Reply, hits.Count, withScores);
            foreach (CollectionHit<string> hit in hits)
            {
                call.Reply.Bulk(hit.Key);
                if (withScores)
                    call.Reply.Double(ScoreScale.Of(set.Settings.Metric, hit.Score));
            }
        });
    }

    /// <summary>Whether VLINKS is asked for scores.</summary>
    /// <exception cref="CommandException">It is asked for something else.</exception>
    public static bool LinksHaveScores(Call call)
    {
        if (call.Count > 4 || (call.Count == 4 && !call.Command.Is(3, "WITHSCORES")))
            throw CommandException.WrongCount("vlinks");
        return call.Count == 4;
    }

    /// <summary>Begins the reply of VLINKS: there is one layer.</summary>
    public static void BeginLinks(RespWriter reply, int count, bool withScores)
    {
        reply.Array(1);
        if (withScores)
            reply.Map(count);
        else
            reply.Array(count);
    }

    private static Task RandomAsync(Call call)
    {
        (int count, bool isOne) = ReadRandom(call);
        return ScanSetAsync(call, r => BeginRandom(r, 0, isOne), async (call, set) =>
        {
            string[] names = count == 0 ? [] : await DrawAsync(set, count, call.Stop);
            BeginRandom(call.Reply, names.Length, isOne);
            foreach (string name in names)
                call.Reply.Bulk(name);
        });
    }

    /// <summary>How many elements VRANDMEMBER is to draw, and whether it replies with one; below 0, some may come several times.</summary>
    /// <exception cref="CommandException">The number is none, or too large.</exception>
    public static (int Count, bool IsOne) ReadRandom(Call call)
    {
        if (call.Count > 3)
            throw CommandException.WrongCount("vrandmember");
        long count = 1;
        bool isOne = call.Count == 2;
        if (!isOne && !call.TryInteger(2, out count))
            throw new CommandException("ERR COUNT value is not an integer");
        if (Math.Abs((decimal)count) > MostRandom)
            throw new CommandException($"ERR COUNT: expected at most {MostRandom} elements, found {count}");
        return ((int)count, isOne);
    }

    /// <summary>Begins the reply of VRANDMEMBER.</summary>
    public static void BeginRandom(RespWriter reply, int count, bool isOne)
    {
        if (!isOne)
            reply.Array(count);
        else if (count == 0)
            reply.Null();
    }

    /// <summary>Elements by chance, each as likely as any other; below 0, some may come several times.</summary>
    /// <remarks>All names are gone over, and as many are held as are asked for.</remarks>
    public static async Task<string[]> DrawAsync(VectorSet set, int count, CancellationToken stop)
    {
        var held = new List<string>();
        int wanted = Math.Abs(count);
        int[] places = count > 0 ? [] : Places(set.Collection.Count, wanted);
        long seen = 0;
        int next = 0;
        await foreach (CollectionRecord<string> record in set.Collection.ScanAsync(Include.Key, stop))
        {
            for (; next < places.Length && places[next] == seen; next++)
                held.Add(record.Key);
            seen++;
            if (count > 0 && held.Count < wanted)
                held.Add(record.Key);
            else if (count > 0 && Random.Shared.NextInt64(seen) is var place && place < wanted)
                held[(int)place] = record.Key;
        }

        // Some were removed meanwhile.
        while (count < 0 && held.Count is > 0 and var many && many < wanted)
            held.Add(held[Random.Shared.Next(many)]);
        string[] names = [.. held];
        Random.Shared.Shuffle(names);
        return names;
    }

    // Places of elements that may come several times, in order.
    private static int[] Places(long elements, int count)
    {
        if (elements == 0)
            return [];
        int[] places = [.. Enumerable.Range(0, count).Select(_ => (int)Random.Shared.NextInt64(Math.Min(elements, int.MaxValue)))];
        Array.Sort(places);
        return places;
    }

    /// <summary>The most names that VRANGE is to reply with.</summary>
    /// <exception cref="CommandException">The number is none.</exception>
    public static int ReadRangeCount(Call call)
    {
        if (call.Count > 5)
            throw CommandException.WrongCount("vrange");
        long count = -1;
        if (call.Count == 5 && !call.TryInteger(4, out count))
            throw new CommandException("ERR invalid COUNT value");
        return count < 0 ? int.MaxValue : (int)Math.Min(count, int.MaxValue);
    }

    private static Task RangeAsync(Call call)
    {
        int count = ReadRangeCount(call);
        if (RangeEnd.Read(call.Command[2]) is not { } start)
            throw new CommandException("ERR invalid start range format");
        if (RangeEnd.Read(call.Command[3]) is not { } end)
            throw new CommandException("ERR invalid end range format");
        if (start.IsMost || end.IsLeast)
            throw new CommandException("ERR '-' can only be used as first argument, '+' only as second");
        return ScanSetAsync(call, r => r.Array(0), async (call, set) =>
        {
            var names = new FirstNames(count, call.Server.Options.ReplyBytes);
            await foreach (CollectionRecord<string> record in set.Collection.ScanAsync(Include.Key, call.Stop))
            {
                byte[] name = Encoding.UTF8.GetBytes(record.Key);
                if (start.IsBefore(name) && end.IsBehind(name))
                    names.Add(name);
            }

            byte[][] first = names.ToArray();
            call.Reply.Array(first.Length);
            foreach (byte[] name in first)
                call.Reply.Bulk(name);
        });
    }

    private static string NameOf(QuantizationKind quantization) => quantization switch
    {
        QuantizationKind.None => "f32",
        QuantizationKind.Binary => "bin",
        _ => "int8",
    };

    public static string NameOf(DistanceMetric metric) => metric switch
    {
        DistanceMetric.L2 => "l2",
        DistanceMetric.InnerProduct => "ip",
        _ => "cosine",
    };
}
