using System.Text;
using VectorPipe.Server.Access;
using VectorPipe.Server.Connections;
using VectorPipe.Server.Resp;
using static VectorPipe.Server.Access.AccessCategory;

namespace VectorPipe.Server.Commands;

/// <summary>The commands about a connection.</summary>
internal static class ConnectionCommands
{
    private const AccessCategory Administration = Admin | Slow | Dangerous | Connection;
    private const int MostNameBytes = 256;
    private const int MostChannels = 1000;

    public static IReadOnlyList<CommandInfo> Commands { get; } =
    [
        new("ping", -1, CommandKind.Control, Fast | Connection, Do(Ping)),
        new("echo", 2, CommandKind.Control, Fast | Connection, Do(call => call.Reply.Bulk(call.Command[1]))),
        new("hello", -1, CommandKind.Control, Fast | Connection, Do(Hello), IsOpen: true),
        new("auth", -2, CommandKind.Control, Fast | Connection, Do(Authenticate), IsOpen: true),
        new("quit", -1, CommandKind.Control, Fast | Connection, Do(Quit), IsOpen: true),
        new("reset", 1, CommandKind.Control, Fast | Connection, Do(Reset), IsOpen: true),
        new("select", 2, CommandKind.Control, Fast | Connection, Do(Select)),
        new("client", -2, CommandKind.Control, Slow, Do(Client))
        {
            Subcommands =
            [
                ("id", Slow | Connection), ("getname", Slow | Connection), ("setname", Slow | Connection), ("setinfo", Slow | Connection),
                ("info", Slow | Connection), ("no-touch", Slow | Connection), ("list", Administration), ("kill", Administration),
                ("no-evict", Administration),
            ],
        },
        new("subscribe", -2, CommandKind.Control, PubSub | Slow, Do(call => Subscribe(call, "subscribe"))),
        new("psubscribe", -2, CommandKind.Control, PubSub | Slow, Do(call => Subscribe(call, "psubscribe"))),
        new("unsubscribe", -1, CommandKind.Control, PubSub | Slow, Do(call => Unsubscribe(call, "unsubscribe"))),
        new("punsubscribe", -1, CommandKind.Control, PubSub | Slow, Do(call => Unsubscribe(call, "punsubscribe"))),
        new("publish", 3, CommandKind.Control, PubSub | Fast, Do(call => call.Reply.Integer(0))),
    ];

    /// <summary>A command that ends at once.</summary>
    public static Func<Call, Task> Do(Action<Call> run) => call =>
    {
        run(call);
        return Task.CompletedTask;
    };

    private static void Ping(Call call)
    {
        if (call.Count > 2)
            throw CommandException.WrongCount("ping");
        if (call.Session.Channels.Count > 0 && call.Reply.Version == 2)
        {
            // The form of messages, which is all that a client that listens expects.
            call.Reply.Array(2);
            call.Reply.Bulk("pong");
            call.Reply.Bulk(call.Count == 2 ? call.Command[1] : default);
        }
        else if (call.Count == 2)
        {
            call.Reply.Bulk(call.Command[1]);
        }
        else
        {
            call.Reply.Simple("PONG");
        }
    }

    // HELLO [version [AUTH user password] [SETNAME name]]: all is checked before anything changes.
    private static void Hello(Call call)
    {
        ClientSession session = call.Session;
        long version = session.Version;
        if (call.Count > 1 && !call.TryInteger(1, out version))
            throw new CommandException("ERR Protocol version is not an integer or out of range");
        if (version is not 2 and not 3)
            throw new CommandException("NOPROTO unsupported protocol version");
        string? name = null;
        AccessUser? user = session.User;
        for (int at = 2; at < call.Count; at++)
        {
            if (call.Command.Is(at, "AUTH") && at + 2 < call.Count)
            {
                user = Authenticated(call, call.Command.Text(at + 1), at + 2);
                at += 2;
            }
            else if (call.Command.Is(at, "SETNAME") && at + 1 < call.Count)
            {
                name = ReadName(call, ++at);
            }
            else
            {
                throw new CommandException($"ERR Syntax error in HELLO option '{call.Command.Text(at)}'");
            }
        }

        if (user is null)
        {
            throw new CommandException(
                "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO <proto> AUTH <user> <pass> option "
                + "can be used to authenticate the client and select the RESP protocol version at the same time");
        }

        session.User = user;
        session.Name = name ?? session.Name;
        session.Version = (int)version;
        call.Reply.Version = session.Version;
        WriteServer(call.Reply, session);
    }

    private static void WriteServer(RespWriter reply, ClientSession session)
    {
        reply.Map(7);
        reply.Bulk("server");
        reply.Bulk("redis");
        reply.Bulk("version");
        reply.Bulk(ServerCommands.RedisVersion);
        reply.Bulk("proto");
        reply.Integer(session.Version);
        reply.Bulk("id");
        reply.Integer(session.Id);
        reply.Bulk("mode");
        reply.Bulk("standalone");
        reply.Bulk("role");
        reply.Bulk("master");
        reply.Bulk("modules");
        reply.Array(1);
        reply.Map(2);
        reply.Bulk("name");
        reply.Bulk("vectorset");
        reply.Bulk("ver");
        reply.Integer(1);
    }

    private static void Authenticate(Call call)
    {
        if (call.Count > 3)
            throw CommandException.Syntax();
        if (call.Count == 2 && call.Server.Access.Initial.Rights.NeedsNoPassword)
        {
            throw new CommandException(
                "ERR AUTH <password> called without any password configured for the default user. "
                + "Are you sure your configuration is correct?");
        }

        call.Session.User = Authenticated(call, call.Count == 3 ? call.Command.Text(1) : AccessUser.Default, call.Count - 1);
        call.Reply.Ok();
    }

    private static AccessUser Authenticated(Call call, string name, int password)
    {
        AccessList access = call.Server.Access;
        if (access.Authenticate(name, call.Command[password], call.Session.EndPoint) is { } user)
            return user;
        access.Log.Add(new AccessDenial("auth", call.Command.Text(0)), name, call.Session.Describe(call.Server.Clock));
        throw new CommandException("WRONGPASS invalid username-password pair or user is disabled.");
    }

    private static void Quit(Call call)
    {
        call.Session.IsClosing = true;
        call.Reply.Ok();
    }

    private static void Reset(Call call)
    {
        call.Session.Reset(call.Server.Access.Anonymous);
        call.Reply.Version = 2;
        call.Reply.Simple("RESET");
    }

    private static void Select(Call call)
    {
        if (!call.TryInteger(1, out long number))
            throw new CommandException("ERR value is not an integer or out of range");
        if (number != 0)
            throw new CommandException("ERR DB index is out of range");
        call.Reply.Ok();
    }

    private static void Client(Call call)
    {
        ClientSession session = call.Session;
        if (call.Command.Is(1, "ID") && call.Count == 2)
        {
            call.Reply.Integer(session.Id);
        }
        else if (call.Command.Is(1, "GETNAME") && call.Count == 2)
        {
            if (session.Name.Length > 0)
                call.Reply.Bulk(session.Name);
            else
                call.Reply.Null();
        }
        else if (call.Command.Is(1, "SETNAME") && call.Count == 3)
        {
            session.Name = ReadName(call, 2);
            call.Reply.Ok();
        }
        else if (call.Command.Is(1, "SETINFO") && call.Count == 4)
        {
            SetLibrary(call);
            call.Reply.Ok();
        }
        else if (call.Command.Is(1, "INFO") && call.Count == 2)
        {
            call.Reply.Bulk(session.Describe(call.Server.Clock) + "\n");
        }
        else if (call.Command.Is(1, "LIST"))
        {
            call.Reply.Bulk(string.Concat(
                call.Server.Clients.Values.OrderBy(one => one.Id).Select(one => one.Describe(call.Server.Clock) + "\n")));
        }
        else if (call.Command.Is(1, "KILL") && call.Count >= 3)
        {
            Kill(call);
        }
        else if ((call.Command.Is(1, "NO-EVICT") || call.Command.Is(1, "NO-TOUCH")) && call.Count == 3)
        {
            call.Reply.Ok();
        }
        else
        {
            throw CommandException.UnknownSubcommand(call, "CLIENT");
        }
    }

    private static string ReadName(Call call, int index)
    {
        if (call.Command[index].Length > MostNameBytes)
            throw new CommandException($"ERR name: expected at most {MostNameBytes} bytes, found {call.Command[index].Length}");
        foreach (byte character in call.Command[index])
        {
            if (character is < (byte)'!' or > (byte)'~')
                throw new CommandException("ERR Client names cannot contain spaces, newlines or special characters.");
        }

        return Encoding.ASCII.GetString(call.Command[index]);
    }

    private static void SetLibrary(Call call)
    {
        string value = ReadName(call, 3);
        if (call.Command.Is(2, "LIB-NAME"))
            call.Session.Library = value;
        else if (call.Command.Is(2, "LIB-VER"))
            call.Session.LibraryVersion = value;
        else
            throw new CommandException($"ERR Unrecognized option '{call.Command.Text(2)}'");
    }

    // CLIENT KILL address, or CLIENT KILL [ID number] [ADDR address] [SKIPME yes|no].
    private static void Kill(Call call)
    {
        bool isOld = call.Count == 3;
        long? id = null;
        string? address = isOld ? call.Command.Text(2) : null;
        bool skipsMe = !isOld;
        for (int at = 2; !isOld && at < call.Count; at += 2)
        {
            if (at + 1 >= call.Count)
                throw CommandException.Syntax();
            if (call.Command.Is(at, "ID") && call.TryInteger(at + 1, out long number))
                id = number;
            else if (call.Command.Is(at, "ADDR"))
                address = call.Command.Text(at + 1);
            else if (call.Command.Is(at, "SKIPME"))
                skipsMe = call.Command.Is(at + 1, "YES");
            else
                throw CommandException.Syntax();
        }

        int killed = 0;
        foreach (ClientSession one in call.Server.Clients.Values)
        {
            bool isMeant = (id is null || one.Id == id) && (address is null || one.Address == address);
            if (!isMeant || (one == call.Session && skipsMe))
                continue;
            killed++;
            if (one == call.Session)
                one.IsClosing = true;
            else
                one.Abort("killed by another client");
        }

        if (isOld && killed == 0)
            throw new CommandException("ERR No such client");
        if (isOld)
            call.Reply.Ok();
        else
            call.Reply.Integer(killed);
    }

    private static void Subscribe(Call call, string kind)
    {
        for (int at = 1; at < call.Count; at++)
        {
            if (call.Command[at].Length > MostNameBytes || call.Session.Channels.Count >= MostChannels)
            {
                throw new CommandException(
                    $"ERR channels: expected at most {MostChannels} with names of at most {MostNameBytes} bytes, found more");
            }

            call.Session.Channels.Add(call.Command.Text(at));
            WriteSubscription(call, kind, call.Command[at]);
        }
    }

    private static void Unsubscribe(Call call, string kind)
    {
        string[] channels = call.Count > 1
            ? [.. Enumerable.Range(1, call.Count - 1).Select(call.Command.Text)]
            : [.. call.Session.Channels];
        foreach (string channel in channels)
        {
            call.Session.Channels.Remove(channel);
            WriteSubscription(call, kind, Encoding.UTF8.GetBytes(channel));
        }

        if (channels.Length == 0)
        {
            call.Reply.Push(3);
            call.Reply.Bulk(kind);
            call.Reply.Null();
            call.Reply.Integer(0);
        }
    }

    private static void WriteSubscription(Call call, string kind, ReadOnlySpan<byte> channel)
    {
        call.Reply.Push(3);
        call.Reply.Bulk(kind);
        call.Reply.Bulk(channel);
        call.Reply.Integer(call.Session.Channels.Count);
    }
}
