using System.Collections.Frozen;
using System.Text;

namespace VectorPipe.Server.Commands;

/// <summary>A command that the server knows.</summary>
/// <param name="Name">Its name, in lower case.</param>
/// <param name="Arity">The number of its arguments with the name; the least number if negative.</param>
/// <param name="Kind">What may run beside it.</param>
/// <param name="Run">Carries it out, and writes its reply.</param>
/// <param name="FirstKey">The argument that names a set; 0 for none.</param>
/// <param name="IsOpen">It may be given before the password.</param>
internal sealed record CommandInfo(
    string Name, int Arity, CommandKind Kind, Func<Call, Task> Run, int FirstKey = 0, bool IsOpen = false)
{
    private const int MostNameBytes = 32;

    private static readonly FrozenDictionary<string, CommandInfo> _all = FrozenDictionary.ToFrozenDictionary(
        [
            .. VectorReads.Commands,
            .. VectorWrites.Commands,
            .. ConnectionCommands.Commands,
            .. KeyCommands.Commands,
            .. ServerCommands.Commands,
        ],
        command => command.Name,
        StringComparer.Ordinal);

    private static readonly FrozenDictionary<string, CommandInfo>.AlternateLookup<ReadOnlySpan<char>> _byName =
        _all.GetAlternateLookup<ReadOnlySpan<char>>();

    public static IReadOnlyCollection<CommandInfo> All => _all.Values;

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

    /// <summary>Whether a number of arguments, with the name, is right.</summary>
    public bool Takes(int count) => Arity >= 0 ? count == Arity : count >= -Arity;
}
