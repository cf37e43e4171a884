using System.Buffers;
using System.Collections.Immutable;
using System.Security.Cryptography;
using System.Text;
using VectorPipe.Server.Commands;

namespace VectorPipe.Server.Access;

/// <summary>What a user may do, and how it proves who it is. Immutable: <see cref="With"/> makes another one.</summary>
/// <remarks>Rules are those of Redis, without selectors; see docs/server.md#users.</remarks>
internal sealed record AccessRights
{
    private const string HashError = "The password hash must be exactly 64 characters and contain only lowercase hexadecimal characters";
    private const string NoSuchPassword = "The password you are trying to remove from the user does not exist";
    private const string Unknown = "Unknown command or category name in ACL";
    private const string Any = "*";

    private static readonly SearchValues<char> _digits = SearchValues.Create("0123456789abcdef");

    /// <summary>Nothing, and no way in.</summary>
    public static AccessRights None { get; } = new();

    public bool IsEnabled { get; private init; }

    /// <summary>Any password will do.</summary>
    public bool NeedsNoPassword { get; private init; }

    /// <summary>SHA-256 of passwords, each of which will do: 64 hexadecimal digits.</summary>
    public ImmutableArray<string> Passwords { get; private init; } = [];

    public ImmutableArray<KeyPattern> Keys { get; private init; } = [];

    public ImmutableArray<string> Channels { get; private init; } = [];

    /// <summary>Whether there is nothing that it may not do.</summary>
    public bool IsUnlimited { get; private init; }

    /// <summary>The rules about commands, after one that allows or forbids all.</summary>
    public string CommandRules => string.Join(' ', [StartsWithAll ? "+@all" : "-@all", .. Rules]);

    private bool StartsWithAll { get; init; }

    private ImmutableArray<string> Rules { get; init; } = [];

    // By number of a command or subcommand.
    private ImmutableArray<bool> Commands { get; init; } = [.. new bool[CommandInfo.AllNumbers.Count]];

    /// <summary>Follows rules, one after the other.</summary>
    /// <exception cref="AccessRuleException">One cannot be followed.</exception>
    public AccessRights WithAll(IEnumerable<string> rules, Func<string, string, string> describe)
    {
        AccessRights rights = this;
        foreach (string rule in rules)
        {
            try
            {
                rights = rights.With(rule);
            }
            catch (AccessRuleException e)
            {
                throw new AccessRuleException(describe(rule, e.Message));
            }
        }

        bool isUnlimited = !rights.Commands.Contains(false) && rights.MatchesAll && rights.Channels.Contains(Any);
        return rights with { IsUnlimited = isUnlimited };
    }

    public bool MayRun(int command) => Commands[command];

    /// <summary>Whether a set may be read or written.</summary>
    /// <param name="set">Its name, a byte a character.</param>
    /// <param name="isWrite">Whether it is to be written.</param>
    public bool MayUse(string set, bool isWrite)
    {
        foreach (KeyPattern one in Keys)
        {
            if ((isWrite ? one.MayWrite : one.MayRead) && one.Matches(set))
                return true;
        }

        return false;
    }

    /// <summary>Whether a channel may be listened to; a pattern of channels must be allowed as it is.</summary>
    public bool MayHear(string channel, bool isPattern)
    {
        foreach (string one in Channels)
        {
            if (one == Any || (isPattern ? one == channel : Glob.Matches(one, channel)))
                return true;
        }

        return false;
    }

    /// <summary>Whether a password is one of its own, in a time that says nothing about them.</summary>
    public bool Accepts(ReadOnlySpan<byte> password)
    {
        byte[] hash = Encoding.ASCII.GetBytes(HashOf(password));
        bool isOne = NeedsNoPassword;
        foreach (string one in Passwords)
            isOne |= CryptographicOperations.FixedTimeEquals(Encoding.ASCII.GetBytes(one), hash);
        return isOne;
    }

    /// <summary>Rules that make these rights out of none.</summary>
    public string Describe()
    {
        string[] words =
        [
            IsEnabled ? "on" : "off",
            .. NeedsNoPassword ? (string[])["nopass"] : [],
            .. Passwords.Select(hash => "#" + hash),
            .. Keys.Select(key => key.ToString()),
            .. Channels.IsEmpty ? ["resetchannels"] : Channels.Select(channel => "&" + channel),
            CommandRules,
        ];
        return string.Join(' ', words);
    }

    private bool MatchesAll => Keys.Any(key => key is { Pattern: Any, MayRead: true, MayWrite: true });

    private AccessRights With(string rule) => rule.ToLowerInvariant() switch
    {
        "on" => this with { IsEnabled = true },
        "off" => this with { IsEnabled = false },
        "nopass" => this with { NeedsNoPassword = true, Passwords = [] },
        "resetpass" => this with { NeedsNoPassword = false, Passwords = [] },
        "allkeys" => this with { Keys = [new KeyPattern(Any, MayRead: true, MayWrite: true)] },
        "resetkeys" => this with { Keys = [] },
        "allchannels" => this with { Channels = [Any] },
        "resetchannels" => this with { Channels = [] },
        "allcommands" or "+@all" => WithAllCommands(areAllowed: true),
        "nocommands" or "-@all" => WithAllCommands(areAllowed: false),
        "reset" => None,

        // They say how Redis restores payloads, and that there are no selectors.
        "sanitize-payload" or "skip-sanitize-payload" or "clearselectors" => this,
        // The pattern of the name that has no characters.
        "~" or "&" => WithValue(rule[0], rule),
        _ => rule.Length < 2 ? throw Syntax() : WithValue(rule[0], rule),
    };

    private AccessRights WithValue(char kind, string rule) => kind switch
    {
        '>' => WithPassword(HashOf(Encoding.UTF8.GetBytes(rule[1..]))),
        '#' => WithPassword(ToHash(rule)),
        '<' => WithoutPassword(HashOf(Encoding.UTF8.GetBytes(rule[1..]))),
        '!' => WithoutPassword(ToHash(rule)),
        '~' => WithKeys(rule[1..], mayRead: true, mayWrite: true),
        '%' => WithKeys(rule),
        '&' => WithChannels(rule[1..]),
        '+' or '-' => WithCommands(rule.ToLowerInvariant()),
        '(' => throw new AccessRuleException("Selectors are not supported"),
        _ => throw Syntax(),
    };

    private AccessRights WithPassword(string hash) =>
        this with { NeedsNoPassword = false, Passwords = Passwords.Contains(hash) ? Passwords : Passwords.Add(hash) };

    private AccessRights WithoutPassword(string hash) =>
        Passwords.Contains(hash) ? this with { Passwords = Passwords.Remove(hash) } : throw new AccessRuleException(NoSuchPassword);

    private AccessRights WithKeys(string rule)
    {
        int end = rule.IndexOf('~', StringComparison.Ordinal);
        string words = end < 0 ? "" : rule[1..end].ToUpperInvariant();
        if (words is not ("R" or "W" or "RW" or "WR"))
            throw Syntax();
        return WithKeys(rule[(end + 1)..], words.Contains('R', StringComparison.Ordinal), words.Contains('W', StringComparison.Ordinal));
    }

    private AccessRights WithKeys(string pattern, bool mayRead, bool mayWrite)
    {
        RequireWord(pattern);
        var key = new KeyPattern(pattern, mayRead, mayWrite);
        if (key is { Pattern: Any, MayRead: true, MayWrite: true })
            return this with { Keys = [key] };
        if (MatchesAll)
            throw AfterAll("allkeys", "resetkeys", "patterns");
        return this with { Keys = Keys.Contains(key) ? Keys : Keys.Add(key) };
    }

    private AccessRights WithChannels(string pattern)
    {
        RequireWord(pattern);
        if (pattern == Any)
            return this with { Channels = [Any] };
        if (Channels.Contains(Any))
            throw AfterAll("allchannels", "resetchannels", "channels");
        return this with { Channels = Channels.Contains(pattern) ? Channels : Channels.Add(pattern) };
    }

    private AccessRights WithAllCommands(bool areAllowed) => this with
    {
        StartsWithAll = areAllowed,
        Rules = [],
        Commands = [.. Enumerable.Repeat(areAllowed, Commands.Length)],
    };

    // Of rules about the same commands the last one counts.
    private AccessRights WithCommands(string rule)
    {
        string name = rule[1..];
        ImmutableArray<bool>.Builder commands = Commands.ToBuilder();
        foreach (int command in Named(name))
            commands[command] = rule[0] == '+';
        ImmutableArray<string> others =
            Rules.RemoveAll(other => other[1..] == name || other[1..].StartsWith(name + "|", StringComparison.Ordinal));
        return this with { Rules = others.Add(rule), Commands = commands.ToImmutable() };
    }

    private static IEnumerable<int> Named(string name)
    {
        if (name[0] == '@')
        {
            return CategoryNames.TryFind(name[1..], out AccessCategory category)
                ? CommandInfo.AllNumbers.Where(one => (one.Categories & category) != 0).Select(one => one.Number)
                : throw new AccessRuleException(Unknown);
        }

        int[] found = [.. CommandInfo.AllNumbers
            .Where(one => one.Name == name || one.Name.StartsWith(name + "|", StringComparison.Ordinal))
            .Select(one => one.Number)];
        return found.Length > 0 ? found : throw new AccessRuleException(Unknown);
    }

    private static void RequireWord(string pattern)
    {
        if (AccessWord.FindError(pattern) is { } error)
            throw new AccessRuleException($"Patterns can't contain {error}");
    }

    private static string ToHash(string rule)
    {
        bool isHash = rule.Length == 1 + (2 * SHA256.HashSizeInBytes) && !rule.AsSpan(1).ContainsAnyExcept(_digits);
        return isHash ? rule[1..] : throw new AccessRuleException(HashError);
    }

    private static string HashOf(ReadOnlySpan<byte> password) => Convert.ToHexStringLower(SHA256.HashData(password));

    private static AccessRuleException AfterAll(string flag, string reset, string what) => new(
        $"Adding a pattern after the * pattern (or the '{flag}' flag) is not valid and does not have any effect. "
        + $"Try '{reset}' to start with an empty list of {what}");

    private static AccessRuleException Syntax() => new("Syntax error");
}
