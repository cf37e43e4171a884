using System.Text;
using VectorPipe.Server.Access;
using static VectorPipe.Server.Access.AccessCategory;

namespace VectorPipe.Server.Commands;

/// <summary>The commands about sets as a whole.</summary>
internal static class KeyCommands
{
    public static IReadOnlyList<CommandInfo> Commands { get; } =
    [
        new("dbsize", 1, CommandKind.Control, Keyspace | Read | Fast, ConnectionCommands.Do(Size)),
        new("exists", -2, CommandKind.Control, Keyspace | Read | Fast, ConnectionCommands.Do(Exists), 1) { HasManyKeys = true },
        new("type", 2, CommandKind.Control, Keyspace | Read | Fast, ConnectionCommands.Do(Type), 1),
        new("get", 2, CommandKind.Control, Read | AccessCategory.String | Fast, ConnectionCommands.Do(Get), 1),
        new("keys", 2, CommandKind.Control, Keyspace | Read | Slow | Dangerous, ConnectionCommands.Do(Keys)),
        new("scan", -2, CommandKind.Control, Keyspace | Read | Slow, ConnectionCommands.Do(Scan)),
        new("del", -2, CommandKind.Control, Keyspace | Write | Slow, DeleteAsync, 1) { HasManyKeys = true },
        new("unlink", -2, CommandKind.Control, Keyspace | Write | Fast, DeleteAsync, 1) { HasManyKeys = true },
        new("flushdb", -1, CommandKind.Control, Keyspace | Write | Slow | Dangerous, DeleteAllAsync),
        new("flushall", -1, CommandKind.Control, Keyspace | Write | Slow | Dangerous, DeleteAllAsync),
        new("memory", -2, CommandKind.Control, Read | Slow, MemoryAsync, 2) { Subcommands = [("usage", Read | Slow)] },
    ];

    private static void Size(Call call) => call.Reply.Integer(call.Server.Names.Count);

    private static void Exists(Call call)
    {
        int found = 0;
        for (int at = 1; at < call.Count; at++)
            found += call.Server.Names.Contains(call.SetName(at)) ? 1 : 0;
        call.Reply.Integer(found);
    }

    private static void Type(Call call) => call.Reply.Simple(call.Server.Names.Contains(call.SetName(1)) ? "vectorset" : "none");

    // Clients look for keys of their own when they connect.
    private static void Get(Call call)
    {
        if (call.Server.Names.Contains(call.SetName(1)))
            throw new CommandException("WRONGTYPE Operation against a key holding the wrong kind of value");
        call.Reply.Null();
    }

    private static void Keys(Call call) => WriteNames(call, Matching(call, 1));

    // All names at once, which the protocol allows: a server has few sets, and each is large.
    private static void Scan(Call call)
    {
        if (!call.TryInteger(1, out long cursor))
            throw new CommandException("ERR invalid cursor");
        int pattern = 0;
        bool isOther = false;
        for (int at = 2; at < call.Count; at += 2)
        {
            if (at + 1 >= call.Count)
                throw CommandException.Syntax();
            if (call.Command.Is(at, "MATCH"))
                pattern = at + 1;
            else if (call.Command.Is(at, "TYPE"))
                isOther = !call.Command.Is(at + 1, "VECTORSET");
            else if (!call.Command.Is(at, "COUNT") || !call.TryInteger(at + 1, out long count) || count < 1)
                throw CommandException.Syntax();
        }

        call.Reply.Array(2);
        call.Reply.Bulk("0");
        WriteNames(call, cursor != 0 || isOther ? [] : Matching(call, pattern));
    }

    private static string[] Matching(Call call, int pattern)
    {
        string glob = pattern == 0 ? "*" : call.Pattern(pattern);
        return [.. call.Server.Names.Names.Where(name => Glob.Matches(glob, name)).Order(StringComparer.Ordinal)];
    }

    private static void WriteNames(Call call, string[] names)
    {
        call.Reply.Array(names.Length);
        foreach (string name in names)
            call.Reply.Bulk(Encoding.Latin1.GetBytes(name));
    }

    private static async Task DeleteAsync(Call call)
    {
        int deleted = 0;
        for (int at = 1; at < call.Count; at++)
            deleted += await call.Server.Names.RemoveAsync(call.SetName(at)) ? 1 : 0;
        call.Reply.Integer(deleted);
    }

    private static async Task DeleteAllAsync(Call call)
    {
        if (call.Count > 2 || (call.Count == 2 && !call.Command.Is(1, "SYNC") && !call.Command.Is(1, "ASYNC")))
            throw CommandException.Syntax();
        foreach (string name in call.Server.Names.Names)
            await call.Server.Names.RemoveAsync(name);
        call.Reply.Ok();
    }

    private static Task MemoryAsync(Call call)
    {
        if (!call.Command.Is(1, "USAGE") || call.Count < 3)
            throw CommandException.UnknownSubcommand(call, "MEMORY");
        if (call.Server.Router is { } router)
        {
            // Of what this node has of it.
            string name = call.SetName(2);
            ReplicaState[] replicas = [.. router.Replicas.Where(replica => replica.Name == name)];
            if (replicas.Length == 0)
                call.Reply.Null();
            else
                call.Reply.Integer(replicas.Sum(replica => replica.MemoryBytes));
            return Task.CompletedTask;
        }

        return VectorReads.WithSetAsync(
            call,
            static reply => reply.Null(),
            static (call, set) =>
            {
                call.Reply.Integer(set.Collection.Status.MemoryBytes);
                return Task.CompletedTask;
            },
            name: 2);
    }
}
