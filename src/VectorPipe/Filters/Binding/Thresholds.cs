using VectorPipe.Filters.Algebra;

namespace VectorPipe.Filters.Binding;

/// <summary>Turns cuts between values into thresholds of an attribute's type: the least value of the type above each cut.</summary>
internal static class Thresholds
{
    private const double EndOfIntegers = 9223372036854775808.0;

    /// <summary>The thresholds, rising; those at which nothing changes for the type are left out.</summary>
    public static long[] Of(AttributeType type, ValueSet values)
    {
        var thresholds = new List<long>(values.Cuts.Length);
        foreach (Cut cut in values.Cuts)
        {
            if (Of(type, cut) is not { } threshold)
                break;

            // Between two cuts with the same threshold, the type has no value.
            if (thresholds.Count > 0 && thresholds[^1] == threshold)
                thresholds.RemoveAt(thresholds.Count - 1);
            else
                thresholds.Add(threshold);
        }

        return [.. thresholds];
    }

    // Null: no value of the type is above the cut.
    private static long? Of(AttributeType type, Cut cut) => type switch
    {
        AttributeType.Boolean => (cut.Value.AsBoolean() ? 1 : 0) + (cut.IsAfter ? 1 : 0),
        AttributeType.DateTimeOffset => cut.Value.AsDateTimeOffset().UtcTicks + (cut.IsAfter ? 1 : 0),
        AttributeType.Int64 => OfInteger(cut),
        _ => OfDouble(cut),
    };

    private static long? OfInteger(Cut cut)
    {
        if (cut.Value.Type == AttributeType.Int64)
        {
            long integer = cut.Value.AsInt64();
            return !cut.IsAfter ? integer : integer < long.MaxValue ? integer + 1 : null;
        }

        // A canonical double is no integer of 64 bits: it lies between two, or beyond all.
        double number = cut.Value.AsDouble();
        if (number >= EndOfIntegers)
            return null;
        return number < -EndOfIntegers ? long.MinValue : (long)Math.Ceiling(number);
    }

    private static long OfDouble(Cut cut)
    {
        if (cut.Value.Type == AttributeType.Double)
            return NumberLeaf.OrderOf(cut.Value.AsDouble()) + (cut.IsAfter ? 1 : 0);
        long integer = cut.Value.AsInt64();
        double nearest = integer;
        long order = NumberLeaf.OrderOf(nearest);
        if (nearest >= EndOfIntegers || (long)nearest > integer)
            return order;
        return (long)nearest < integer || cut.IsAfter ? order + 1 : order;
    }
}
