using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using VectorPipe.Server.Connections;
using VectorPipe.Server.Resp;

namespace VectorPipe.Server.Commands;

/// <summary>The commands about a connection.</summary>
internal static class ConnectionCommands
{
    private const string DefaultUser = "default";
    private const int MostNameBytes = 256;
    private const int MostChannels = 1000;

    public static IReadOnlyList<CommandInfo> Commands { get; } =
    [
        new("ping", -1, CommandKind.Control, Do(Ping)),
        new("echo", 2, CommandKind.Control, Do(call => call.Reply.Bulk(call.Command[1]))),
        new("hello", -1, CommandKind.Control, Do(Hello), IsOpen: true),
        new("auth", -2, CommandKind.Control, Do(Authenticate), IsOpen: true),
        new("quit", -1, CommandKind.Control, Do(Quit), IsOpen: true),
        new("reset", 1, CommandKind.Control, Do(Reset), IsOpen: true),
        new("select", 2, CommandKind.Control, Do(Select)),
        new("client", -2, CommandKind.Control, Do(Client)),
        new("subscribe", -2, CommandKind.Control, Do(call => Subscribe(call, "subscribe"))),
        new("psubscribe", -2, CommandKind.Control, Do(call => Subscribe(call, "psubscribe"))),
        new("unsubscribe", -1, CommandKind.Control, Do(call => Unsubscribe(call, "unsubscribe"))),
        new("punsubscribe", -1, CommandKind.Control, Do(call => Unsubscribe(call, "punsubscribe"))),
        new("publish", 3, CommandKind.Control, Do(call => call.Reply.Integer(0))),
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
        bool isAuthenticated = session.IsAuthenticated;
        for (int at = 2; at < call.Count; at++)
        {
            if (call.Command.Is(at, "AUTH") && at + 2 < call.Count)
            {
                CheckPassword(call, at + 1, at + 2);
                isAuthenticated = true;
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

        if (!isAuthenticated)
        {
            throw new CommandException(
                "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO <proto> AUTH <user> <pass> option "
                + "can be used to authenticate the client and select the RESP protocol version at the same time");
        }

        session.IsAuthenticated = true;
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
        if (call.Count == 2 && string.IsNullOrEmpty(call.Server.Options.Password))
        {
            throw new CommandException(
                "ERR AUTH <password> called without any password configured for the default user. "
                + "Are you sure your configuration is correct?");
        }

        CheckPassword(call, call.Count == 3 ? 1 : 0, call.Count - 1);
        call.Session.IsAuthenticated = true;
        call.Reply.Ok();
    }

    // In a time that says nothing about the password but its length. Without one, the user is let in with any.
    private static void CheckPassword(Call call, int user, int password)
    {
        bool isUser = user == 0 || Encoding.UTF8.GetString(call.Command[user]) == DefaultUser;
        byte[] expected = Encoding.UTF8.GetBytes(call.Server.Options.Password ?? "");
        if (!isUser || (expected.Length > 0 && !CryptographicOperations.FixedTimeEquals(expected, call.Command[password])))
            throw new CommandException("WRONGPASS invalid username-password pair or user is disabled.");
    }

    private static void Quit(Call call)
    {
        call.Session.IsClosing = true;
        call.Reply.Ok();
    }

    private static void Reset(Call call)
    {
        call.Session.Reset(string.IsNullOrEmpty(call.Server.Options.Password));
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
            call.Reply.Bulk(session.Name);
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
            call.Reply.Bulk(Describe(call.Server, session) + "\n");
        }
        else if (call.Command.Is(1, "LIST"))
        {
            call.Reply.Bulk(string.Concat(
                call.Server.Clients.Values.OrderBy(one => one.Id).Select(one => Describe(call.Server, one) + "\n")));
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

    private static string Describe(ServerState server, ClientSession session)
    {
        double age = server.Clock.GetElapsedTime(session.Started).TotalSeconds;
        return string.Create(
            CultureInfo.InvariantCulture,
            $"id={session.Id} addr={session.Address} laddr={session.LocalAddress} name={session.Name} age={age:F0} db=0 "
            + $"sub={session.Channels.Count} cmd={session.LastCommand} user=default resp={session.Version} "
            + $"lib-name={session.Library} lib-ver={session.LibraryVersion}");
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
