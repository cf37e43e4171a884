using System.Runtime.InteropServices;

namespace VectorPipe;

/// <summary>A vector that an index holds, with its key.</summary>
/// <remarks>Immutable; the caller may keep it. As JSON it is an object with the key, the element type and the bytes in base 64.</remarks>
public sealed class VectorRecord
{
    internal VectorRecord(ulong key, VectorElementType elementType, byte[] bytes)
    {
        Key = key;
        ElementType = elementType;
        Bytes = bytes;
    }

    /// <summary>The caller's identity of the vector.</summary>
    public ulong Key { get; }

    /// <summary>Type of a component.</summary>
    public VectorElementType ElementType { get; }

    /// <summary>The vector, little-endian; rounded if the build dropped the original, see <see cref="BuildOptions.DropVectors"/>.</summary>
    public ReadOnlyMemory<byte> Bytes { get; }

    /// <summary>Internal id of the vector.</summary>
    internal uint NodeId { get; init; }

    /// <summary>Internal ids of its links; empty unless requested.</summary>
    internal uint[] Links { get; init; } = [];

    /// <summary>Pages read for the look-up.</summary>
    internal int Reads { get; init; }

    /// <summary>The vector's components.</summary>
    /// <typeparam name="T">The index's element type: float, Half, byte or sbyte.</typeparam>
    /// <exception cref="InvalidVectorException">The index holds another type.</exception>
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
                $"Expected a vector of {ElementType}, as the index holds, to be read as such; found {typeof(T).Name}.");
    }
}
