using System.Collections.Frozen;
using System.Text;
using VectorPipe.Server.Access;
using VectorPipe.Server.Resp;

namespace VectorPipe.Server.Commands;

/// <summary>A command that the server knows.</summary>
/// <param name="Name">Its name, in lower case.</param>
/// <param name="Arity">The number of its arguments with the name; the least number if negative.</param>
/// <param name="Kind">What may run beside it.</param>
/// <param name="Categories">What it is about, for rules of users.</param>
/// <param name="Run">Carries it out, and writes its reply.</param>
/// <param name="FirstKey">The argument that names a set; 0 for none.</param>
/// <param name="IsOpen">It may be given before the password.</param>
internal sealed record CommandInfo(
    string Name, int Arity, CommandKind Kind, AccessCategory Categories, Func<Call, ValueTask> Run, int FirstKey = 0, bool IsOpen = false)
{
    private const int MostNameBytes = 32;

    /// <summary>A command that seldom comes, or takes long: its task may be allocated.</summary>
    public CommandInfo(
        string Name, int Arity, CommandKind Kind, AccessCategory Categories, Func<Call, Task> Run, int FirstKey = 0, bool IsOpen = false)
        : this(Name, Arity, Kind, Categories, call => new ValueTask(Run(call)), FirstKey, IsOpen)
    {
    }

    private static readonly FrozenDictionary<string, CommandInfo> _all = FrozenDictionary.ToFrozenDictionary(
        [
            .. VectorReads.Commands,
            .. VectorWrites.Commands,
            .. AccessCommands.Commands,
            .. ConnectionCommands.Commands,
            .. KeyCommands.Commands,
            .. ServerCommands.Commands,
            .. ClusterCommands.Commands,
        ],
        command => command.Name,
        StringComparer.Ordinal);

    private static readonly FrozenDictionary<string, CommandInfo>.AlternateLookup<ReadOnlySpan<char>> _byName =
        _all.GetAlternateLookup<ReadOnlySpan<char>>();

    public static IReadOnlyCollection<CommandInfo> All => _all.Values;

    /// <summary>All commands and subcommands, by their numbers.</summary>
    public static IReadOnlyList<CommandNumber> AllNumbers { get; } = Number();

    /// <summary>All arguments from the first set on name sets.</summary>
    public bool HasManyKeys { get; init; }

    /// <summary>Its second argument chooses among these, each with its own categories.</summary>
    public IReadOnlyList<(string Name, AccessCategory Categories)> Subcommands { get; init; } = [];

    private int FirstNumber { get; set; }

    /// <summary>A command by its name, in any case; null if there is none.</summary>
    public static CommandInfo? Find(ReadOnlySpan<byte> name)
    {
        if (name.Length > MostNameBytes)
            return null;
        Span<char> text = stackalloc char[MostNameBytes];
        if (Ascii.ToLower(name, text, out int length) != System.Buffers.OperationStatus.Done)
            return null;
        return _byName.TryGetValue(text[..length], out CommandInfo? found) ? found : null;
    }

    /// <summary>The number of a command, by its name.</summary>
    public static int NumberOf(string name) => _all[name].FirstNumber;

    /// <summary>The command or subcommand of arguments.</summary>
    /// <param name="command">The arguments.</param>
    /// <param name="first">The argument that is its name.</param>
    public CommandNumber NumberOf(RespCommand command, int first)
    {
        for (int i = 0; i < Subcommands.Count && first + 1 < command.Count; i++)
        {
            if (command.Is(first + 1, Subcommands[i].Name))
                return AllNumbers[FirstNumber + 1 + i];
        }

        return AllNumbers[FirstNumber];
    }

    /// <summary>Whether a number of arguments, with the name, is right.</summary>
    public bool Takes(int count) => Arity >= 0 ? count == Arity : count >= -Arity;

    private static List<CommandNumber> Number()
    {
        var numbers = new List<CommandNumber>();
        foreach (CommandInfo info in _all.Values.OrderBy(info => info.Name, StringComparer.Ordinal))
        {
            info.FirstNumber = numbers.Count;
            numbers.Add(new CommandNumber(numbers.Count, info.Name, info.Categories));
            foreach ((string name, AccessCategory categories) in info.Subcommands)
                numbers.Add(new CommandNumber(numbers.Count, $"{info.Name}|{name}", categories));
        }

        return numbers;
    }
}
