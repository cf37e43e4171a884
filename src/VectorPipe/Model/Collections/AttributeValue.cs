using System.Collections.Immutable;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace VectorPipe;

/// <summary>A value of one of the seven types of <see cref="AttributeType"/>. Immutable and thread-safe.</summary>
/// <remarks>
/// Values convert from their .NET types; a set of strings comes from <see cref="StringSet"/>. The default value has no type and is refused
/// as an attribute.
/// </remarks>
public readonly struct AttributeValue : IEquatable<AttributeValue>
{
    // A number's bits, the two halves of a Guid, or the ticks in UTC and the minutes of the offset.
    private readonly ulong _low;
    private readonly ulong _high;

    // The string, or an array of strings that rise by ordinal comparison.
    private readonly object? _text;

    private AttributeValue(AttributeType type, ulong low, ulong high = 0, object? text = null)
    {
        Type = type;
        _low = low;
        _high = high;
        _text = text;
    }

    /// <summary>The type; 0, which is no member, for the default value.</summary>
    public AttributeType Type { get; }

    /// <summary>A truth value.</summary>
    /// <param name="value">The value.</param>
    public static implicit operator AttributeValue(bool value) => new(AttributeType.Boolean, value ? 1UL : 0);

    /// <summary>An integer.</summary>
    /// <param name="value">The value.</param>
    public static implicit operator AttributeValue(long value) => new(AttributeType.Int64, (ulong)value);

    /// <summary>A floating-point number; NaN and infinities are allowed.</summary>
    /// <param name="value">The value.</param>
    public static implicit operator AttributeValue(double value) => new(AttributeType.Double, BitConverter.DoubleToUInt64Bits(value));

    /// <summary>A text.</summary>
    /// <param name="value">The text; its length is checked when the record is written.</param>
    /// <exception cref="ArgumentNullException">The text is null.</exception>
    public static implicit operator AttributeValue(string value)
    {
        ArgumentNullException.ThrowIfNull(value);
        return new(AttributeType.String, 0, 0, value);
    }

    /// <summary>A Guid.</summary>
    /// <param name="value">The value.</param>
    public static implicit operator AttributeValue(Guid value)
    {
        UInt128 bits = Unsafe.BitCast<Guid, UInt128>(value);
        return new(AttributeType.Guid, (ulong)bits, (ulong)(bits >> 64));
    }

    /// <summary>An instant with its offset from UTC; both are kept.</summary>
    /// <param name="value">The value.</param>
    public static implicit operator AttributeValue(DateTimeOffset value) =>
        new(AttributeType.DateTimeOffset, (ulong)value.UtcTicks, (ulong)value.TotalOffsetMinutes);

    /// <summary>Whether two values are equal, see <see cref="Equals(AttributeValue)"/>.</summary>
    /// <param name="left">A value.</param>
    /// <param name="right">Another.</param>
    public static bool operator ==(AttributeValue left, AttributeValue right) => left.Equals(right);

    /// <summary>Whether two values differ, see <see cref="Equals(AttributeValue)"/>.</summary>
    /// <param name="left">A value.</param>
    /// <param name="right">Another.</param>
    public static bool operator !=(AttributeValue left, AttributeValue right) => !left.Equals(right);

    /// <summary>A set of strings; order and repetition do not matter.</summary>
    /// <param name="items">The strings, none null; lengths are checked when the record is written.</param>
    /// <exception cref="ArgumentException">A string is null.</exception>
    public static AttributeValue StringSet(params IEnumerable<string> items)
    {
        ArgumentNullException.ThrowIfNull(items);
        string[] rising = [.. new SortedSet<string>(items, StringComparer.Ordinal)];
        if (rising is [null, ..])
            throw new ArgumentException("Expected strings, found null among them.", nameof(items));
        return OfRising(rising);
    }

    /// <summary>The truth value.</summary>
    /// <exception cref="InvalidOperationException">The value has another type.</exception>
    public bool AsBoolean() => Expect(AttributeType.Boolean)._low != 0;

    /// <summary>The integer.</summary>
    /// <exception cref="InvalidOperationException">The value has another type.</exception>
    public long AsInt64() => (long)Expect(AttributeType.Int64)._low;

    /// <summary>The floating-point number.</summary>
    /// <exception cref="InvalidOperationException">The value has another type.</exception>
    public double AsDouble() => BitConverter.UInt64BitsToDouble(Expect(AttributeType.Double)._low);

    /// <summary>The text.</summary>
    /// <exception cref="InvalidOperationException">The value has another type.</exception>
    public string AsString() => (string)Expect(AttributeType.String)._text!;

    /// <summary>The Guid.</summary>
    /// <exception cref="InvalidOperationException">The value has another type.</exception>
    public Guid AsGuid() => Unsafe.BitCast<UInt128, Guid>(new UInt128(Expect(AttributeType.Guid)._high, _low));

    /// <summary>The instant, with the offset that it was given with.</summary>
    /// <exception cref="InvalidOperationException">The value has another type.</exception>
    public DateTimeOffset AsDateTimeOffset() =>
        new DateTimeOffset((long)Expect(AttributeType.DateTimeOffset)._low, TimeSpan.Zero).ToOffset(TimeSpan.FromMinutes((long)_high));

    /// <summary>The strings of the set, rising by ordinal comparison.</summary>
    /// <exception cref="InvalidOperationException">The value has another type.</exception>
    public ImmutableArray<string> AsStringSet() =>
        ImmutableCollectionsMarshal.AsImmutableArray((string[])Expect(AttributeType.StringSet)._text!);

    /// <summary>Gets the value if it has a type.</summary>
    /// <typeparam name="T">bool, long, double, string, Guid, DateTimeOffset, or ImmutableArray of string for a set.</typeparam>
    /// <param name="value">The value.</param>
    /// <returns>Whether the value has this type.</returns>
    /// <exception cref="NotSupportedException">No value ever has this type: an int, for example, is held as a long.</exception>
    public bool TryGet<T>([MaybeNullWhen(false)] out T value)
    {
        if (Type != TypeOf<T>())
        {
            value = default;
            return false;
        }

        // The compiler of a known T sees a cast to the same type in the one arm that runs, and boxes nothing.
        value = Type switch
        {
            AttributeType.Boolean => (T)(object)AsBoolean(),
            AttributeType.Int64 => (T)(object)AsInt64(),
            AttributeType.Double => (T)(object)AsDouble(),
            AttributeType.String => (T)(object)AsString(),
            AttributeType.Guid => (T)(object)AsGuid(),
            AttributeType.DateTimeOffset => (T)(object)AsDateTimeOffset(),
            _ => (T)(object)AsStringSet(),
        };
        return true;
    }

    /// <summary>Whether type and value are equal, as the .NET type defines it.</summary>
    /// <remarks>NaN equals NaN; times are equal if they are the same instant; strings are compared by their code units.</remarks>
    /// <param name="other">Another value.</param>
    public bool Equals(AttributeValue other) => Type == other.Type && Type switch
    {
        AttributeType.Double => AsDouble().Equals(other.AsDouble()),
        AttributeType.String => AsString() == other.AsString(),
        AttributeType.DateTimeOffset => _low == other._low,
        AttributeType.StringSet => AsStringSet().AsSpan().SequenceEqual(other.AsStringSet().AsSpan()),
        _ => _low == other._low && _high == other._high,
    };

    /// <inheritdoc/>
    public override bool Equals([NotNullWhen(true)] object? obj) => obj is AttributeValue other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => Type switch
    {
        AttributeType.Double => AsDouble().GetHashCode(),
        AttributeType.String => AsString().GetHashCode(StringComparison.Ordinal),
        AttributeType.StringSet => AsStringSet().Aggregate(0, (hash, item) => HashCode.Combine(hash, item)),
        AttributeType.DateTimeOffset => _low.GetHashCode(),
        _ => HashCode.Combine(_low, _high),
    };

    /// <summary>The value as text, the same in every culture; empty for the default value.</summary>
    public override string ToString() => Type switch
    {
        AttributeType.Boolean => AsBoolean() ? "true" : "false",
        AttributeType.Int64 => AsInt64().ToString(CultureInfo.InvariantCulture),
        AttributeType.Double => AsDouble().ToString(CultureInfo.InvariantCulture),
        AttributeType.String => AsString(),
        AttributeType.Guid => AsGuid().ToString(),
        AttributeType.DateTimeOffset => AsDateTimeOffset().ToString("O", CultureInfo.InvariantCulture),
        AttributeType.StringSet => $"[{string.Join(", ", AsStringSet())}]",
        _ => "",
    };

    /// <summary>A set of strings that rise already; takes over the array.</summary>
    internal static AttributeValue OfRising(string[] items) => new(AttributeType.StringSet, 0, 0, items);

    private static AttributeType TypeOf<T>()
    {
        if (typeof(T) == typeof(bool))
            return AttributeType.Boolean;
        if (typeof(T) == typeof(long))
            return AttributeType.Int64;
        if (typeof(T) == typeof(double))
            return AttributeType.Double;
        if (typeof(T) == typeof(string))
            return AttributeType.String;
        if (typeof(T) == typeof(Guid))
            return AttributeType.Guid;
        if (typeof(T) == typeof(DateTimeOffset))
            return AttributeType.DateTimeOffset;
        if (typeof(T) == typeof(ImmutableArray<string>))
            return AttributeType.StringSet;
        throw new NotSupportedException(
            $"Expected bool, long, double, string, Guid, DateTimeOffset or ImmutableArray<string>, found {typeof(T).Name}.");
    }

    private AttributeValue Expect(AttributeType expected) =>
        Type == expected
            ? this
            : throw new InvalidOperationException($"Expected a value of type {expected}, found {(Type == 0 ? "no type" : Type)}.");
}
