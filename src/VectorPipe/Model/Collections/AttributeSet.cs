using System.Collections;
using System.Diagnostics.CodeAnalysis;

namespace VectorPipe;

/// <summary>The attributes of a record: values by name.</summary>
/// <remarks>
/// <para>Names are compared byte by byte. Whether the schema has them, and with these types, is checked when the record is written.</para>
/// <para>Sets with the same content are equal. Change a set only until it is handed over: changes are not thread-safe, and a set that
/// changes must not be a key of a dictionary.</para>
/// </remarks>
/// <example><c>new AttributeSet { ["year"] = 2024, ["lang"] = "en" }</c></example>
public sealed class AttributeSet : IReadOnlyDictionary<string, AttributeValue>, IEquatable<AttributeSet>
{
    private readonly Dictionary<string, AttributeValue> _values = new(StringComparer.Ordinal);

    /// <summary>Number of attributes.</summary>
    public int Count => _values.Count;

    /// <summary>The names, in no particular order.</summary>
    public IEnumerable<string> Keys => _values.Keys;

    /// <summary>The values, in the order of <see cref="Keys"/>.</summary>
    public IEnumerable<AttributeValue> Values => _values.Values;

    /// <summary>Gets the value of an attribute, or sets it, whether it was there or not.</summary>
    /// <param name="key">The attribute's name.</param>
    /// <exception cref="KeyNotFoundException">Get: there is no such attribute.</exception>
    /// <exception cref="ArgumentException">Set: the value has no type.</exception>
    public AttributeValue this[string key]
    {
        get => _values[key];
        set => _values[key] = Typed(value);
    }

    /// <summary>Adds an attribute.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="value">Its value.</param>
    /// <exception cref="ArgumentException">There is one of this name, or the value has no type.</exception>
    public void Add(string name, AttributeValue value) => _values.Add(name, Typed(value));

    /// <inheritdoc/>
    public bool ContainsKey(string key) => _values.ContainsKey(key);

    /// <inheritdoc/>
    public bool TryGetValue(string key, out AttributeValue value) => _values.TryGetValue(key, out value);

    /// <inheritdoc/>
    public IEnumerator<KeyValuePair<string, AttributeValue>> GetEnumerator() => _values.GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    /// <summary>Whether both have the same names with equal values.</summary>
    /// <param name="other">Another set.</param>
    public bool Equals([NotNullWhen(true)] AttributeSet? other) =>
        other is not null
        && Count == other.Count
        && _values.All(pair => other._values.TryGetValue(pair.Key, out AttributeValue value) && value == pair.Value);

    /// <inheritdoc/>
    public override bool Equals([NotNullWhen(true)] object? obj) => Equals(obj as AttributeSet);

    /// <inheritdoc/>
    public override int GetHashCode()
    {
        // A sum, because equal sets may have their attributes in different orders.
        int sum = 0;
        foreach ((string name, AttributeValue value) in _values)
            sum += HashCode.Combine(name, value);
        return sum;
    }

    private static AttributeValue Typed(AttributeValue value) =>
        value.Type != 0 ? value : throw new ArgumentException("Expected a value with a type, found the default value.", nameof(value));
}
