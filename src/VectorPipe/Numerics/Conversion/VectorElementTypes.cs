namespace VectorPipe.Numerics.Conversion;

/// <summary>Sizes and CLR types of element types.</summary>
internal static class VectorElementTypes
{
    /// <summary>Bytes of one component.</summary>
    public static int SizeInBytes(this VectorElementType type) => type switch
    {
        VectorElementType.Float32 => 4,
        VectorElementType.Float16 => 2,
        VectorElementType.UInt8 or VectorElementType.Int8 => 1,
        _ => throw new ArgumentOutOfRangeException(nameof(type), type, "Expected Float32, Float16, UInt8 or Int8."),
    };

    /// <summary>The element type that stores a component of type <typeparamref name="T"/>.</summary>
    /// <exception cref="NotSupportedException"><typeparamref name="T"/> is none of float, Half, byte, sbyte.</exception>
    public static VectorElementType Of<T>()
        where T : unmanaged
    {
        if (typeof(T) == typeof(float))
            return VectorElementType.Float32;
        if (typeof(T) == typeof(Half))
            return VectorElementType.Float16;
        if (typeof(T) == typeof(byte))
            return VectorElementType.UInt8;
        if (typeof(T) == typeof(sbyte))
            return VectorElementType.Int8;
        throw new NotSupportedException($"Vectors of {typeof(T)} are not supported: expected float, Half, byte or sbyte.");
    }
}
