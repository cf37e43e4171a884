using System.Diagnostics;

namespace VectorPipe.Filters.Binding;

/// <summary>A test of one attribute, of a known type. Immutable and thread-safe once its filter is bound.</summary>
/// <param name="name">The attribute's name.</param>
/// <param name="place">Its place in the schema.</param>
/// <param name="type">Its type.</param>
/// <param name="passesMissing">Whether records without the attribute pass.</param>
internal abstract class BoundLeaf(string name, int place, AttributeType type, bool passesMissing)
{
    public string Name { get; } = name;

    public int Place { get; } = place;

    public AttributeType Type { get; } = type;

    public bool PassesMissing { get; } = passesMissing;

    /// <summary>Where the filter goes on if the test is passed: a leaf after this one, or an end.</summary>
    public int OnPass { get; init; }

    /// <summary>Where the filter goes on if the test is failed.</summary>
    public int OnFail { get; init; }

    /// <summary>Whether a value in memory passes.</summary>
    public abstract bool Passes(AttributeValue value);

    /// <summary>Whether a number passes: 0 or 1, an integer, the bits of a double, ticks in UTC, as the type has it.</summary>
    public virtual bool PassesBits(long bits) => throw new UnreachableException($"{Type} has no number.");

    /// <summary>Whether the UTF-8 of a text, or the bytes of a Guid, pass.</summary>
    public virtual bool PassesBytes(ReadOnlySpan<byte> bytes) => throw new UnreachableException($"{Type} has no bytes.");
}
