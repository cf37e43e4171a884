namespace VectorPipe.Measuring;

/// <summary>An option whose values are names, in any case. Immutable.</summary>
internal sealed class Choice<T> : IChoice
    where T : struct
{
    private readonly (string Name, T Value)[] _names;
    private readonly Dictionary<string, T> _values;

    public Choice(string option, (string Name, T Value)[] names, (string Name, T Value)[]? aliases = null)
    {
        Option = option;
        _names = names;
        _values = names.Concat(aliases ?? []).ToDictionary(choice => choice.Name, choice => choice.Value, StringComparer.OrdinalIgnoreCase);
    }

    public string Option { get; }

    public IReadOnlyList<string> Names => [.. _names.Select(choice => choice.Name)];

    public T Parse(string name) => _values.TryGetValue(name, out T value)
        ? value
        : throw new UsageException(
            $"{Option}: expected one of {string.Join(", ", Names)}; found '{name}'.");

    public string NameOf(T value) => _names.First(choice => EqualityComparer<T>.Default.Equals(choice.Value, value)).Name;
}
