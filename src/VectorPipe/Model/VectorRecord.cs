using System.Runtime.InteropServices;

namespace VectorPipe;

/// <summary>A vector that an index holds, with its key.</summary>
/// <remarks>Immutable, and the caller's own. As JSON it is an object with the key, the element type and the bytes in base 64.</remarks>
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

    /// <summary>Type of a component, the index's.</summary>
    public VectorElementType ElementType { get; }

    /// <summary>
    /// Bytes of the original vector, or as near to it as the index holds it (see <see cref="BuildOptions.DropVectors"/>): dimension x
    /// element size, little-endian.
    /// </summary>
    public ReadOnlyMemory<byte> Bytes { get; }

    /// <summary>Number of the vector's node in the graph: its place in the node file.</summary>
    internal uint NodeId { get; init; }

    /// <summary>Numbers of the nodes that its node links to; empty unless they were asked for.</summary>
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
