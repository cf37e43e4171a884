using System.Runtime.InteropServices;

namespace VectorPipe;

/// <summary>A record of a collection. Immutable; the caller may keep it.</summary>
/// <typeparam name="TKey">The type of the keys.</typeparam>
public sealed class CollectionRecord<TKey>
    where TKey : notnull
{
    internal CollectionRecord(TKey key, VectorElementType elementType, AttributeSet? attributes)
    {
        Key = key;
        ElementType = elementType;
        if (attributes is not null)
            Attributes = attributes;
    }

    /// <summary>The key.</summary>
    public TKey Key { get; }

    /// <summary>Type of a component.</summary>
    public VectorElementType ElementType { get; }

    /// <summary>The vector, little-endian; empty unless it was included.</summary>
    public ReadOnlyMemory<byte> Bytes { get; init; }

    /// <summary>The attributes; empty unless they were included.</summary>
    public AttributeSet Attributes { get => field ??= []; init; }

    /// <summary>The payload; empty unless it was included.</summary>
    public ReadOnlyMemory<byte> Payload { get; init; }

    /// <summary>The vector's components; none unless the vector was included.</summary>
    /// <typeparam name="T">The schema's element type: float, Half, byte or sbyte.</typeparam>
    /// <exception cref="InvalidVectorException">The collection holds another type.</exception>
    public ReadOnlySpan<T> GetVector<T>()
        where T : unmanaged
    {
        bool isRight = ElementType switch
        {
            VectorElementType.Float32 => typeof(T) == typeof(float),
            VectorElementType.Float16 => typeof(T) == typeof(Half),
            VectorElementType.UInt8 => typeof(T) == typeof(byte),
            _ => typeof(T) == typeof(sbyte),
        };
        return isRight
            ? MemoryMarshal.Cast<byte, T>(Bytes.Span)
            : throw new InvalidVectorException(
                $"Expected a vector of {ElementType}, as the collection holds, to be read as such; found {typeof(T).Name}.");
    }
}
