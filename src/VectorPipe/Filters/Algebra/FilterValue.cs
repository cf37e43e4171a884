using VectorPipe.Model;

namespace VectorPipe.Filters.Algebra;

/// <summary>Values as filters compare them.</summary>
internal static class FilterValue
{
    // 2^63: from here on, no double is a 64-bit integer.
    private const double EndOfIntegers = 9223372036854775808.0;

    /// <summary>The family of a value; Any for a set and for a value without a type.</summary>
    public static ValueFamily FamilyOf(AttributeValue value) => FamilyOf(value.Type);

    /// <summary>The family of a type; Any for sets.</summary>
    public static ValueFamily FamilyOf(AttributeType type) => type switch
    {
        AttributeType.Boolean => ValueFamily.Boolean,
        AttributeType.Int64 or AttributeType.Double => ValueFamily.Number,
        AttributeType.String => ValueFamily.Text,
        AttributeType.Guid => ValueFamily.Guid,
        AttributeType.DateTimeOffset => ValueFamily.Time,
        _ => ValueFamily.Any,
    };

    /// <summary>The one form of a value: integers as such, times in UTC.</summary>
    /// <exception cref="InvalidFilterException">The value cannot be compared.</exception>
    public static AttributeValue Canonical(string attribute, AttributeValue value)
    {
        switch (value.Type)
        {
            case AttributeType.Double:
                double number = value.AsDouble();
                if (!double.IsFinite(number))
                    throw new InvalidFilterException($"Attribute '{attribute}': expected a finite number, found {value}.");
                return number is >= -EndOfIntegers and < EndOfIntegers && Math.Floor(number) == number ? (long)number : value;
            case AttributeType.String:
                RequireText(attribute, value.AsString());
                return value;
            case AttributeType.DateTimeOffset:
                return value.AsDateTimeOffset().ToUniversalTime();
            case AttributeType.StringSet:
                throw new InvalidFilterException(
                    $"Attribute '{attribute}': expected a single value, found the set {value}; a set is asked what it contains.");
            case 0:
                throw new InvalidFilterException($"Attribute '{attribute}': expected a value with a type, found the default value.");
            default:
                return value;
        }
    }

    /// <summary>Refuses a text that has no UTF-8.</summary>
    /// <exception cref="InvalidFilterException">The text has half of a surrogate pair.</exception>
    public static void RequireText(string attribute, string text)
    {
        if (TextOrder.FindLoneSurrogate(text) is >= 0 and var place)
            throw new InvalidFilterException(
                $"Attribute '{attribute}': expected a text, found half of a surrogate pair in place {place} of it.");
    }

    /// <summary>Refuses a name that no attribute has.</summary>
    /// <exception cref="InvalidFilterException">The name is empty, too long or no text.</exception>
    public static void RequireName(string attribute)
    {
        ArgumentNullException.ThrowIfNull(attribute);
        Span<byte> bytes = stackalloc byte[SchemaLimits.MaxAttributeNameBytes];
        if (!Utf8Text.TryWrite(attribute, bytes, out _, out string? found))
            throw new InvalidFilterException($"Expected the name of an attribute, of 1 to {bytes.Length} bytes of UTF-8, found {found}.");
        if (attribute.Length == 0)
            throw new InvalidFilterException($"Expected the name of an attribute, of 1 to {bytes.Length} bytes of UTF-8, found none.");
    }

    /// <summary>Compares two canonical values of one family.</summary>
    public static int Compare(AttributeValue left, AttributeValue right) => (left.Type, right.Type) switch
    {
        (AttributeType.Boolean, _) => left.AsBoolean().CompareTo(right.AsBoolean()),
        (AttributeType.Int64, AttributeType.Int64) => left.AsInt64().CompareTo(right.AsInt64()),
        (AttributeType.Int64, _) => CompareExactly(left.AsInt64(), right.AsDouble()),
        (AttributeType.Double, AttributeType.Int64) => -CompareExactly(right.AsInt64(), left.AsDouble()),
        (AttributeType.Double, _) => left.AsDouble().CompareTo(right.AsDouble()),
        (AttributeType.String, _) => TextOrder.Compare(left.AsString(), right.AsString()),
        (AttributeType.Guid, _) => left.AsGuid().ToByteArray().AsSpan().SequenceCompareTo(right.AsGuid().ToByteArray()),
        _ => left.AsDateTimeOffset().CompareTo(right.AsDateTimeOffset()),
    };

    // A canonical double is no 64-bit integer, so the two never are equal.
    private static int CompareExactly(long integer, double number)
    {
        if (number >= EndOfIntegers)
            return -1;
        if (number < -EndOfIntegers)
            return 1;
        return integer <= (long)Math.Floor(number) ? -1 : 1;
    }
}
