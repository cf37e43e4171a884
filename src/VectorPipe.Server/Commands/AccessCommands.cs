using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using System.Text.Unicode;
using VectorPipe.Server.Access;
using VectorPipe.Server.Connections;
using static VectorPipe.Server.Access.AccessCategory;

namespace VectorPipe.Server.Commands;

/// <summary>The commands about users and what they may do.</summary>
internal static class AccessCommands
{
    private const int UsualPasswordBits = 256;
    private const int MostPasswordBits = 4096;
    private const int UsualEntries = 10;
    private const AccessCategory Administration = Admin | Slow | Dangerous;

    public static IReadOnlyList<CommandInfo> Commands { get; } =
    [
        new("acl", -2, CommandKind.Control, Slow, ConnectionCommands.Do(Run))
        {
            Subcommands =
            [
                ("whoami", Slow), ("cat", Slow), ("genpass", Slow), ("list", Administration), ("users", Administration),
                ("getuser", Administration), ("setuser", Administration), ("deluser", Administration), ("dryrun", Administration),
                ("log", Administration), ("load", Administration), ("save", Administration),
            ],
        },
    ];

    private static AccessList Access(Call call) => call.Server.Access;

    private static void Run(Call call)
    {
        Action<Call>? run = call.Command.Text(1).ToLowerInvariant() switch
        {
            "whoami" when call.Count == 2 => static call => call.Reply.Bulk(call.Session.User!.Name),
            "cat" when call.Count is 2 or 3 => Categories,
            "genpass" when call.Count is 2 or 3 => MakePassword,
            "list" when call.Count == 2 => static call => WriteTexts(call, Access(call).Users.Select(AccessList.Line)),
            "users" when call.Count == 2 => static call => WriteTexts(call, Access(call).Users.Select(user => user.Name)),
            "getuser" when call.Count == 3 => Describe,
            "setuser" when call.Count >= 3 => Change,
            "deluser" when call.Count >= 3 => Remove,
            "dryrun" when call.Count >= 4 => Try,
            "log" when call.Count is 2 or 3 => Log,
            "load" when call.Count == 2 => Load,
            "save" when call.Count == 2 => Save,
            _ => null,
        };
        if (run is null)
            throw CommandException.UnknownSubcommand(call, "ACL");
        run(call);
    }

    private static void Categories(Call call)
    {
        if (call.Count == 2)
        {
            WriteTexts(call, CategoryNames.All.Select(one => one.Name));
            return;
        }

        if (!CategoryNames.TryFind(call.Command.Text(2), out AccessCategory category))
            throw new CommandException($"ERR Unknown category '{call.Command.Text(2)}'");
        WriteTexts(call, CommandInfo.AllNumbers.Where(one => (one.Categories & category) != 0).Select(one => one.Name));
    }

    private static void MakePassword(Call call)
    {
        long bits = UsualPasswordBits;
        if (call.Count == 3 && !call.TryInteger(2, out bits))
            throw new CommandException("ERR value is not an integer or out of range");
        if (bits is < 1 or > MostPasswordBits)
        {
            throw new CommandException(
                "ERR ACL GENPASS argument must be the number of bits for the output password, a positive number up to "
                + MostPasswordBits.ToString(CultureInfo.InvariantCulture));
        }

        call.Reply.Bulk(RandomNumberGenerator.GetHexString((int)(bits + 3) / 4, lowercase: true));
    }

    private static void Describe(Call call)
    {
        if (Access(call).Find(call.Command.Text(2)) is not { } user)
        {
            call.Reply.Null();
            return;
        }

        AccessRights rights = user.Rights;
        call.Reply.Map(6);
        call.Reply.Bulk("flags");
        string[] flags = [rights.IsEnabled ? "on" : "off", .. rights.NeedsNoPassword ? (string[])["nopass"] : []];
        call.Reply.Set(flags.Length);
        foreach (string flag in flags)
            call.Reply.Bulk(flag);
        call.Reply.Bulk("passwords");
        WriteTexts(call, rights.Passwords);
        call.Reply.Bulk("commands");
        call.Reply.Bulk(rights.CommandRules);
        call.Reply.Bulk("keys");
        call.Reply.Bulk(string.Join(' ', rights.Keys));
        call.Reply.Bulk("channels");
        call.Reply.Bulk(string.Join(' ', rights.Channels.Select(channel => "&" + channel)));
        call.Reply.Bulk("selectors");
        call.Reply.Array(0);
    }

    private static void Change(Call call)
    {
        for (int at = 2; at < call.Count; at++)
        {
            // Other bytes would become another name, pattern or password than was sent.
            if (!Utf8.IsValid(call.Command[at]))
                throw new CommandException("ERR ACL SETUSER: expected UTF-8, found other bytes");
        }

        try
        {
            Access(call).Set(call.Command.Text(2), [.. Enumerable.Range(3, call.Count - 3).Select(call.Command.Text)]);
        }
        catch (AccessRuleException e)
        {
            throw new CommandException("ERR " + e.Message);
        }

        call.Reply.Ok();
    }

    private static void Remove(Call call)
    {
        string[] names = [.. Enumerable.Range(2, call.Count - 2).Select(call.Command.Text)];
        if (names.Contains(AccessUser.Default))
            throw new CommandException("ERR The 'default' user cannot be removed");
        AccessUser[] removed = [.. names.Select(Access(call).Remove).OfType<AccessUser>()];
        Close(call, removed);
        call.Reply.Integer(removed.Length);
    }

    private static void Try(Call call)
    {
        const int first = 3;
        if (Access(call).Find(call.Command.Text(2)) is not { } user)
            throw new CommandException($"ERR User '{call.Command.Text(2)}' not found");
        if (CommandInfo.Find(call.Command[first]) is not { } info)
            throw new CommandException($"ERR Command '{call.Command.Text(first)}' not found");
        if (!info.Takes(call.Count - first))
            throw CommandException.WrongCount(info.Name);
        if (AccessCheck.Find(user.Rights, info, call.Command, first) is { } denial)
            call.Reply.Bulk(denial.FullMessage(user.Name));
        else
            call.Reply.Ok();
    }

    private static void Log(Call call)
    {
        if (call.Count == 3 && call.Command.Is(2, "RESET"))
        {
            Access(call).Log.Clear();
            call.Reply.Ok();
            return;
        }

        long most = UsualEntries;
        if (call.Count == 3 && !call.TryInteger(2, out most))
            throw new CommandException("ERR value is not an integer or out of range");
        AccessLogEntry[] entries = Access(call).Log.Take((int)Math.Clamp(most, 0, int.MaxValue));
        call.Reply.Array(entries.Length);
        foreach (AccessLogEntry entry in entries)
            Write(call, entry);
    }

    private static void Write(Call call, AccessLogEntry entry)
    {
        call.Reply.Map(10);
        Write("count", entry.Count);
        WriteText("reason", entry.Denial.Reason);
        WriteText("context", "toplevel");
        WriteText("object", entry.Denial.Object);
        WriteText("username", entry.User);
        call.Reply.Bulk("age-seconds");
        call.Reply.Double(call.Server.Clock.GetElapsedTime(entry.Timestamp).TotalSeconds);
        WriteText("client-info", entry.Client);
        Write("entry-id", entry.Id);
        Write("timestamp-created", entry.First.ToUnixTimeMilliseconds());
        Write("timestamp-last-updated", entry.Last.ToUnixTimeMilliseconds());

        void Write(string name, long value)
        {
            call.Reply.Bulk(name);
            call.Reply.Integer(value);
        }

        void WriteText(string name, string value)
        {
            call.Reply.Bulk(name);
            call.Reply.Bulk(value);
        }
    }

    private static void Load(Call call)
    {
        CheckFile(call);
        try
        {
            Close(call, Access(call).Load());
        }
        catch (Exception e) when (e is AccessFileException or IOException or UnauthorizedAccessException)
        {
            throw new CommandException($"ERR {e.Message}; users are those of before");
        }

        call.Reply.Ok();
    }

    private static void Save(Call call)
    {
        CheckFile(call);
        try
        {
            Access(call).Save();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new CommandException("ERR " + e.Message);
        }

        call.Reply.Ok();
    }

    private static void CheckFile(Call call)
    {
        if (!Access(call).HasFile)
            throw new CommandException("ERR This server has no file of users: it would have to be started with --aclfile");
    }

    // Of users that are gone; the present connection ends behind its reply.
    private static void Close(Call call, IReadOnlyCollection<AccessUser> users)
    {
        foreach (ClientSession session in call.Server.Clients.Values)
        {
            if (session.User is not { } user || !users.Contains(user))
                continue;
            if (session == call.Session)
                session.IsClosing = true;
            else
                session.Abort("its user was removed");
        }
    }

    private static void WriteTexts(Call call, IEnumerable<string> texts)
    {
        string[] all = [.. texts];
        call.Reply.Array(all.Length);
        foreach (string text in all)
            call.Reply.Bulk(Encoding.UTF8.GetBytes(text));
    }
}
