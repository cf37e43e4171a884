namespace VectorPipe.Filters.Expressions;

/// <summary>Conversions that keep the value.</summary>
internal static class Widening
{
    /// <summary>Whether every value of a type is one of another, apart from what a double rounds.</summary>
    public static bool IsWidening(Type from, Type to)
    {
        from = Nullable.GetUnderlyingType(from) ?? from;
        to = Nullable.GetUnderlyingType(to) ?? to;
        if (to.IsAssignableFrom(from))
            return true;
        (int fromBits, bool isFromSigned) = KindOf(from);
        (int toBits, bool isToSigned) = KindOf(to);
        if (fromBits == 0 || toBits == 0)
            return IsReal(to) && (fromBits != 0 || from == typeof(float));
        return isFromSigned == isToSigned ? toBits >= fromBits : isToSigned && toBits > fromBits;
    }

    private static bool IsReal(Type type) => type == typeof(float) || type == typeof(double);

    // An enum has the type code of its numbers.
    private static (int Bits, bool IsSigned) KindOf(Type type) => Type.GetTypeCode(type) switch
    {
        TypeCode.SByte => (8, true),
        TypeCode.Int16 => (16, true),
        TypeCode.Int32 => (32, true),
        TypeCode.Int64 => (64, true),
        TypeCode.Byte => (8, false),
        TypeCode.UInt16 => (16, false),
        TypeCode.UInt32 => (32, false),
        TypeCode.UInt64 => (64, false),
        _ => (0, false),
    };
}
