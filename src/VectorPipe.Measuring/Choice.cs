namespace VectorPipe.Measuring;

/// <summary>An option whose values are names. Immutable.</summary>
/// <typeparam name="T">The values.</typeparam>
internal sealed class Choice<T>
    where T : struct
{
    private readonly string _option;
    private readonly (string Name, T Value)[] _names;
    private readonly Dictionary<string, T> _values;

    /// <summary>Names the values.</summary>
    /// <param name="option">The option, as the user writes it.</param>
    /// <param name="names">The name of each value.</param>
    /// <param name="aliases">Further names.</param>
    public Choice(string option, (string Name, T Value)[] names, (string Name, T Value)[]? aliases = null)
    {
        _option = option;
        _names = names;
        _values = names.Concat(aliases ?? []).ToDictionary(choice => choice.Name, choice => choice.Value, StringComparer.OrdinalIgnoreCase);
    }

    /// <summary>The value of a name, in any case.</summary>
    /// <exception cref="UsageException">There is no such name.</exception>
    public T Of(string name) => _values.TryGetValue(name, out T value)
        ? value
        : throw new UsageException(
            $"{_option}: expected one of {string.Join(", ", _names.Select(choice => choice.Name))}; found '{name}'.");

    /// <summary>The usual name of a value.</summary>
    public string NameOf(T value) => _names.First(choice => EqualityComparer<T>.Default.Equals(choice.Value, value)).Name;
}
