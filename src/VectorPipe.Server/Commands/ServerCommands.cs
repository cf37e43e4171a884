using System.Globalization;
using System.Reflection;
using System.Text;
using VectorPipe.Server.Access;
using static VectorPipe.Server.Access.AccessCategory;

namespace VectorPipe.Server.Commands;

/// <summary>The commands about the server.</summary>
internal static class ServerCommands
{
    /// <summary>The version of Redis whose commands it knows: clients use vector sets from 8.0 on.</summary>
    public const string RedisVersion = "8.0.0";

    public static IReadOnlyList<CommandInfo> Commands { get; } =
    [
        new("info", -1, CommandKind.Control, Slow | Dangerous, ConnectionCommands.Do(Info)),
        new("command", -1, CommandKind.Control, Slow | Connection, ConnectionCommands.Do(Command))
        {
            Subcommands = [("count", Slow | Connection), ("info", Slow | Connection), ("docs", Slow | Connection)],
        },
        new("config", -2, CommandKind.Control, Slow, ConnectionCommands.Do(Config))
        {
            Subcommands =
            [
                ("get", Admin | Slow | Dangerous), ("set", Admin | Slow | Dangerous), ("resetstat", Admin | Slow | Dangerous),
            ],
        },
        new("time", 1, CommandKind.Control, Fast, ConnectionCommands.Do(Time)),
        new("role", 1, CommandKind.Control, Admin | Fast | Dangerous, ConnectionCommands.Do(Role)),
        new("cluster", -2, CommandKind.Control, Slow, ConnectionCommands.Do(Cluster)),
        new("slowlog", -2, CommandKind.Control, Admin | Slow | Dangerous, ConnectionCommands.Do(call => WriteEmpty(call, "LEN")))
        {
            Subcommands = [("get", Admin | Slow | Dangerous), ("len", Admin | Slow | Dangerous), ("reset", Admin | Slow | Dangerous)],
        },
        new("latency", -2, CommandKind.Control, Admin | Slow | Dangerous, ConnectionCommands.Do(call => WriteEmpty(call, "RESET"))),
        new("save", 1, CommandKind.Control, Admin | Slow | Dangerous, FlushAsync),
        new("shutdown", -1, CommandKind.Control, Admin | Slow | Dangerous, ConnectionCommands.Do(Shutdown)),
    ];

    private static string Version =>
        typeof(ServerCommands).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()!.InformationalVersion.Split('+')[0];

    private static void Info(Call call)
    {
        ServerState server = call.Server;
        bool isAll = call.Count == 1 || Enumerable.Range(1, call.Count - 1).Any(at =>
            call.Command.Is(at, "ALL") || call.Command.Is(at, "DEFAULT") || call.Command.Is(at, "EVERYTHING"));
        var text = new StringBuilder();
        foreach ((string title, Func<string[]> lines) in Sections(server))
        {
            if (isAll || Enumerable.Range(1, call.Count - 1).Any(at => call.Command.Is(at, title)))
                text.Append("# ").Append(title).Append("\r\n").AppendJoin("\r\n", lines()).Append("\r\n\r\n");
        }

        call.Reply.Bulk(text.ToString());
    }

    private static (string Title, Func<string[]> Lines)[] Sections(ServerState server) =>
    [
        ("Server", () =>
        [
            $"redis_version:{RedisVersion}",
            $"vectorpipe_version:{Version}",
            "redis_mode:standalone",
            $"process_id:{Environment.ProcessId}",
            $"tcp_port:{server.Port}",
            string.Create(CultureInfo.InvariantCulture, $"uptime_in_seconds:{(long)server.Uptime.TotalSeconds}"),
        ]),
        ("Clients", () => [$"connected_clients:{server.Clients.Count}", $"maxclients:{server.Options.MaxClients}"]),
        ("Memory", () =>
        [
            $"used_memory:{Environment.WorkingSet}",
            string.Create(CultureInfo.InvariantCulture, $"vectorpipe_allocated_bytes:{GC.GetTotalAllocatedBytes()}"),
            $"maxmemory:{(server.Options.MemoryMiB ?? 0) << 20}",
        ]),
        ("CPU", () =>
        [
            string.Create(CultureInfo.InvariantCulture, $"used_cpu_sys:{Environment.CpuUsage.PrivilegedTime.TotalSeconds:F6}"),
            string.Create(CultureInfo.InvariantCulture, $"used_cpu_user:{Environment.CpuUsage.UserTime.TotalSeconds:F6}"),
        ]),
        ("Persistence", () => ["loading:0", "aof_enabled:1"]),
        ("Stats", () =>
        [
            $"total_connections_received:{server.ConnectionsReceived}",
            $"total_commands_processed:{server.CommandsProcessed}",
            $"rejected_connections:{server.ConnectionsRefused}",
            $"vectorpipe_searches:{server.Searches.Searches}",
            $"vectorpipe_search_reads:{server.Searches.Reads}",
        ]),
        ("Replication", () => ["role:master", "connected_slaves:0"]),
        ("Keyspace", () => server.Names.Count == 0 ? [] : [$"db0:keys={server.Names.Count},expires=0,avg_ttl=0"]),
    ];

    private static void Command(Call call)
    {
        if (call.Count == 1)
        {
            call.Reply.Array(CommandInfo.All.Count);
            foreach (CommandInfo info in CommandInfo.All)
                Describe(call, info);
        }
        else if (call.Command.Is(1, "COUNT") && call.Count == 2)
        {
            call.Reply.Integer(CommandInfo.All.Count);
        }
        else if (call.Command.Is(1, "INFO"))
        {
            call.Reply.Array(call.Count - 2);
            for (int at = 2; at < call.Count; at++)
            {
                if (CommandInfo.Find(call.Command[at]) is { } info)
                    Describe(call, info);
                else
                    call.Reply.Null();
            }
        }
        else if (call.Command.Is(1, "DOCS"))
        {
            call.Reply.Map(0);
        }
        else
        {
            throw CommandException.UnknownSubcommand(call, "COMMAND");
        }
    }

    private static void Describe(Call call, CommandInfo info)
    {
        // Hints for proxies, forms of arguments, and subcommands, which have no entries of their own.
        const int hasNone = 0;
        call.Reply.Array(10);
        call.Reply.Bulk(info.Name);
        call.Reply.Integer(info.Arity);
        WriteWords(Flags(info));
        call.Reply.Integer(info.FirstKey);
        call.Reply.Integer(info.HasManyKeys ? -1 : info.FirstKey);
        call.Reply.Integer(info.FirstKey == 0 ? 0 : 1);
        WriteWords(CategoryNames.Of(info.Categories));
        call.Reply.Set(hasNone);
        call.Reply.Set(hasNone);
        call.Reply.Set(hasNone);

        void WriteWords(string[] words)
        {
            call.Reply.Set(words.Length);
            foreach (string word in words)
                call.Reply.Simple(word);
        }
    }

    private static string[] Flags(CommandInfo info)
    {
        var flags = new List<string>();
        if (info.Categories.HasFlag(Read))
            flags.Add("readonly");
        if (info.Categories.HasFlag(Write))
            flags.Add("write");
        if (info.Categories.HasFlag(Admin))
            flags.Add("admin");
        if (info.Categories.HasFlag(PubSub))
            flags.Add("pubsub");
        if (info.Categories.HasFlag(Fast))
            flags.Add("fast");
        if (info.IsOpen)
            flags.Add("no_auth");
        return [.. flags];
    }

    private static void Config(Call call)
    {
        if (call.Command.Is(1, "GET") && call.Count >= 3)
        {
            string[] patterns = [.. Enumerable.Range(2, call.Count - 2).Select(at => call.Pattern(at).ToLowerInvariant())];
            (string Name, string Value)[] found =
                [.. Settings(call.Server.Options).Where(one => Array.Exists(patterns, pattern => Glob.Matches(pattern, one.Name)))];
            call.Reply.Map(found.Length);
            foreach ((string name, string value) in found)
            {
                call.Reply.Bulk(name);
                call.Reply.Bulk(value);
            }
        }
        else if (call.Command.Is(1, "RESETSTAT") && call.Count == 2)
        {
            call.Reply.Ok();
        }
        else if (call.Command.Is(1, "SET"))
        {
            throw new CommandException("ERR CONFIG SET failed: options are given when the server starts, see vectorpipe-server --help");
        }
        else
        {
            throw CommandException.UnknownSubcommand(call, "CONFIG");
        }
    }

    private static (string Name, string Value)[] Settings(ServerOptions options) =>
    [
        ("aclfile", options.AccessFile is null ? "" : Path.GetFullPath(options.AccessFile)),
        ("appendfsync", options.AppendFsync),
        ("appendonly", "yes"),
        ("bind", options.Bind),
        ("cache-mb", options.CacheMiB.ToString(CultureInfo.InvariantCulture)),
        ("client-output-buffer-limit", options.OutputBufferBytes.ToString(CultureInfo.InvariantCulture)),
        ("client-pipeline", options.ClientPipeline.ToString(CultureInfo.InvariantCulture)),
        ("client-query-buffer-limit", options.CommandBytes.ToString(CultureInfo.InvariantCulture)),
        ("databases", "1"),
        ("dir", Path.GetFullPath(options.Directory)),
        ("login-timeout", options.LoginSeconds.ToString(CultureInfo.InvariantCulture)),
        ("max-queued-queries", options.MaxQueuedQueries.ToString(CultureInfo.InvariantCulture)),
        ("maxclients", options.MaxClients.ToString(CultureInfo.InvariantCulture)),
        ("maxmemory", ((options.MemoryMiB ?? 0) << 20).ToString(CultureInfo.InvariantCulture)),
        ("maxsets", options.MaxSets.ToString(CultureInfo.InvariantCulture)),
        ("output-timeout", options.OutputSeconds.ToString(CultureInfo.InvariantCulture)),
        ("port", options.Port.ToString(CultureInfo.InvariantCulture)),
        ("proto-max-bulk-len", options.BulkBytes.ToString(CultureInfo.InvariantCulture)),
        ("proto-max-multibulk-len", options.Arguments.ToString(CultureInfo.InvariantCulture)),
        ("save", ""),
        ("slave-read-only", "yes"),
        ("replica-read-only", "yes"),
        ("target-recall", options.TargetRecall.ToString(CultureInfo.InvariantCulture)),
        ("timeout", options.TimeoutSeconds.ToString(CultureInfo.InvariantCulture)),
    ];

    private static void Time(Call call)
    {
        long microseconds = (call.Server.Clock.GetUtcNow() - DateTimeOffset.UnixEpoch).Ticks / TimeSpan.TicksPerMicrosecond;
        call.Reply.Array(2);
        call.Reply.Bulk((microseconds / 1_000_000).ToString(CultureInfo.InvariantCulture));
        call.Reply.Bulk((microseconds % 1_000_000).ToString(CultureInfo.InvariantCulture));
    }

    private static void Role(Call call)
    {
        call.Reply.Array(3);
        call.Reply.Bulk("master");
        call.Reply.Integer(0);
        call.Reply.Array(0);
    }

    private static void Cluster(Call call) => throw new CommandException("ERR This instance has cluster support disabled");

    private static void WriteEmpty(Call call, string numeric)
    {
        if (call.Command.Is(1, numeric))
            call.Reply.Integer(0);
        else if (call.Command.Is(1, "RESET"))
            call.Reply.Ok();
        else
            call.Reply.Array(0);
    }

    // With appendfsync no, writes before it are on disk when it answers.
    private static async Task FlushAsync(Call call)
    {
        foreach (string name in call.Server.Sets.Names)
        {
            if (call.Server.Sets.Find(name) is not { } held)
                continue;
            using (held)
                await held.Set.Collection.FlushAsync(call.Stop);
        }

        call.Reply.Ok();
    }

    private static void Shutdown(Call call)
    {
        call.Session.IsClosing = true;
        call.Server.RequestStop();
        call.Reply.Ok();
    }
}
