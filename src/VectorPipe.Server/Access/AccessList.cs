using System.Collections.Immutable;
using System.Net;
using System.Text;
using VectorPipe.Storage.Files;

namespace VectorPipe.Server.Access;

/// <summary>The users of a server. Thread-safe; changes take turns.</summary>
internal sealed class AccessList
{
    private readonly string? _file;
    private readonly string? _password;
    private readonly FailedAttempts _failed;
    private readonly Lock _lock = new();
    private ImmutableSortedDictionary<string, AccessUser> _users;

    private AccessList(string? password, string? file, TimeProvider clock)
    {
        _password = password;
        _file = file;
        _failed = new FailedAttempts(clock);
        Log = new AccessLog(clock);
        Initial = new AccessUser(AccessUser.Default, InitialRights());
        _users = ImmutableSortedDictionary.Create<string, AccessUser>(StringComparer.Ordinal).Add(Initial.Name, Initial);
    }

    /// <summary>The user of clients that have not said who they are.</summary>
    public AccessUser Initial { get; }

    /// <summary>Who a client is at first; null if it has to say so.</summary>
    public AccessUser? Anonymous => Initial.Rights is { IsEnabled: true, NeedsNoPassword: true } ? Initial : null;

    public AccessLog Log { get; }

    public IReadOnlyCollection<AccessUser> Users => [.. Volatile.Read(ref _users).Values];

    /// <summary>Whether there is a file of users.</summary>
    public bool HasFile => _file is not null;

    /// <summary>Makes the users of a password, or of a file.</summary>
    /// <param name="password">The password of the default user; null or empty for none.</param>
    /// <param name="file">The file of users; null for none.</param>
    /// <param name="clock">The clock.</param>
    /// <exception cref="AccessFileException">A line of the file is wrong.</exception>
    /// <exception cref="IOException">The file cannot be read.</exception>
    public static AccessList Open(string? password, string? file, TimeProvider clock)
    {
        var list = new AccessList(password, file, clock);
        if (file is not null)
            list.Load();
        return list;
    }

    public AccessUser? Find(string name) => Volatile.Read(ref _users).GetValueOrDefault(name);

    /// <summary>Whom a name and a password stand for; null if they do not belong together.</summary>
    public AccessUser? Authenticate(string name, ReadOnlySpan<byte> password, EndPoint? client)
    {
        if (_failed.AreUsedUp(client))
            return null;
        AccessUser? user = Find(name);

        // For names that are unknown the same is done.
        bool isAccepted = (user?.Rights ?? AccessRights.None).Accepts(password);
        if (isAccepted && user is { Rights.IsEnabled: true })
            return user;
        _failed.Add(client);
        return null;
    }

    /// <summary>Makes a user, or changes its rights: by all rules or none.</summary>
    /// <exception cref="AccessRuleException">The name is none, or a rule cannot be followed.</exception>
    public void Set(string name, IReadOnlyList<string> rules)
    {
        RequireName(name);
        lock (_lock)
        {
            AccessUser? user = Find(name);
            AccessRights rights = (user?.Rights ?? AccessRights.None).WithAll(
                rules, static (rule, error) => $"Error in ACL SETUSER modifier '{rule}': {error}");
            if (user is not null)
                user.Rights = rights;
            else
                Volatile.Write(ref _users, _users.Add(name, new AccessUser(name, rights)));
        }
    }

    /// <summary>Removes a user; null if there is none.</summary>
    public AccessUser? Remove(string name)
    {
        lock (_lock)
        {
            AccessUser? user = Find(name);
            Volatile.Write(ref _users, _users.Remove(name));
            return user;
        }
    }

    /// <summary>Takes the users of the file instead of the present ones: all or, if a line is wrong, none.</summary>
    /// <returns>Users that are gone.</returns>
    /// <exception cref="AccessFileException">A line of the file is wrong.</exception>
    /// <exception cref="IOException">The file cannot be read.</exception>
    public IReadOnlyCollection<AccessUser> Load()
    {
        Dictionary<string, AccessRights> read = Read(_file!);
        lock (_lock)
        {
            // Those that stay keep their connections.
            var users = ImmutableSortedDictionary.CreateBuilder<string, AccessUser>(StringComparer.Ordinal);
            read.TryAdd(AccessUser.Default, InitialRights());
            foreach ((string name, AccessRights rights) in read)
            {
                AccessUser user = Find(name) ?? new AccessUser(name, rights);
                user.Rights = rights;
                users.Add(name, user);
            }

            AccessUser[] gone = [.. _users.Values.Where(user => !users.ContainsKey(user.Name))];
            Volatile.Write(ref _users, users.ToImmutable());
            return gone;
        }
    }

    /// <summary>Writes all users into the file. It is the old one or the new one at any time.</summary>
    /// <exception cref="IOException">It cannot be written.</exception>
    public void Save()
    {
        lock (_lock)
        {
            string path = Path.GetFullPath(_file!), written = path + ".new";
            var options = new FileStreamOptions { Mode = FileMode.Create, Access = FileAccess.Write };
            if (!OperatingSystem.IsWindows())
                options.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
            using (var file = new FileStream(written, options))
            {
                foreach (AccessUser user in _users.Values)
                    file.Write(Encoding.UTF8.GetBytes(Line(user) + "\n"));
                file.Flush(flushToDisk: true);
            }

            File.Move(written, path, overwrite: true);
            DirectorySync.Flush(Path.GetDirectoryName(path)!);
        }
    }

    /// <summary>A user as a line of the file.</summary>
    public static string Line(AccessUser user) => $"user {user.Name} {user.Rights.Describe()}";

    private AccessRights InitialRights()
    {
        string password = string.IsNullOrEmpty(_password) ? "nopass" : ">" + _password;
        return AccessRights.None.WithAll(["on", password, "~*", "&*", "+@all"], static (_, error) => error);
    }

    private static Dictionary<string, AccessRights> Read(string path)
    {
        var users = new Dictionary<string, AccessRights>(StringComparer.Ordinal);
        int number = 0;
        foreach (string line in File.ReadLines(path))
        {
            number++;
            string where = $"{path}:{number}: ";
            string[] words = line.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries);
            if (words.Length == 0 || words[0].StartsWith('#'))
                continue;
            if (words[0] != "user" || words.Length < 2)
                throw new AccessFileException($"{where}expected 'user NAME RULE ...', found '{words[0]}'");
            AccessRights rights = FromFile(words, where);
            if (!users.TryAdd(words[1], rights))
                throw new AccessFileException($"{where}expected each user once, found '{words[1]}' again");
        }

        return users;
    }

    private static void RequireName(string name)
    {
        if ((name.Length == 0 ? "spaces or null characters" : AccessWord.FindError(name)) is { } error)
            throw new AccessRuleException($"Usernames can't contain {error}");
    }

    private static AccessRights FromFile(string[] words, string where)
    {
        try
        {
            RequireName(words[1]);
            return AccessRights.None.WithAll(words[2..], static (rule, error) => $"rule '{rule}': {error}");
        }
        catch (AccessRuleException e)
        {
            throw new AccessFileException(where + e.Message);
        }
    }
}
