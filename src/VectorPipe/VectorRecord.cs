using System.Runtime.InteropServices;
using VectorPipe.Numerics;

namespace VectorPipe;

/// <summary>What an index holds under a key: the vector, and, if they were asked for, the links of its node in the graph.</summary>
/// <remarks>
/// Dispose it to give its memory back to the index, which makes steady-state look-ups free of allocations; a record that is never
/// disposed is left to the garbage collector. After disposal every member throws, also through copies of the struct.
/// </remarks>
public readonly struct VectorRecord : IDisposable, IEquatable<VectorRecord>
{
    private readonly AsyncLookupRequest _owner;
    private readonly short _version;

    internal VectorRecord(AsyncLookupRequest owner, short version)
    {
        _owner = owner;
        _version = version;
    }

    /// <summary>The caller's identity of the vector.</summary>
    /// <exception cref="ObjectDisposedException">The record was disposed.</exception>
    public ulong Key => Owner.Key;

    /// <summary>The vector's bytes as they were given, or as near to it as the index holds it (see <see cref="BuildOptions.DropVectors"/>): dimension x element size, little-endian.</summary>
    /// <exception cref="ObjectDisposedException">The record was disposed.</exception>
    public ReadOnlySpan<byte> Bytes => Owner.Vector;

    /// <summary>Number of the vector's node in the graph: its place in the node file. A rebuilt index numbers its nodes anew.</summary>
    /// <exception cref="ObjectDisposedException">The record was disposed.</exception>
    public long NodeId => Owner.NodeId;

    /// <summary>
    /// Out-links of the vector's node, empty unless they were asked for: numbers of nodes (see <see cref="NodeId"/>), not keys, since a node does not
    /// hold the keys of its neighbours. They tell how well a vector is connected, and which of two records are neighbours.
    /// </summary>
    /// <exception cref="ObjectDisposedException">The record was disposed.</exception>
    public ReadOnlySpan<uint> Links => Owner.Links;

    /// <summary>Pages read for the look-up: one or more of the key directory, and the vector's unless it is cached; where vectors as given lie apart and links were asked for, the node's too.</summary>
    /// <exception cref="ObjectDisposedException">The record was disposed.</exception>
    public int Reads => Owner.Reads;

    private AsyncLookupRequest Owner
    {
        get
        {
            if (_owner is null || _owner.Version != _version)
                throw new ObjectDisposedException(nameof(VectorRecord));
            return _owner;
        }
    }

    /// <summary>The vector's components.</summary>
    /// <typeparam name="T">The index's element type: float, Half, byte or sbyte.</typeparam>
    /// <returns>The components, valid until the record is disposed.</returns>
    /// <exception cref="InvalidVectorException">The index holds another type.</exception>
    /// <exception cref="ObjectDisposedException">The record was disposed.</exception>
    public ReadOnlySpan<T> GetVector<T>()
        where T : unmanaged
    {
        AsyncLookupRequest owner = Owner;
        VectorElementType type = VectorElementTypes.Of<T>();
        if (type != owner.ElementType)
            throw new InvalidVectorException($"Expected a vector of {owner.ElementType}, as the index holds, to be read as such; found {type}.");
        return MemoryMarshal.Cast<byte, T>(owner.Vector);
    }

    /// <summary>Gives the memory back. Idempotent.</summary>
    public void Dispose() => _owner?.Return(_version);

    /// <inheritdoc/>
    public bool Equals(VectorRecord other) => ReferenceEquals(_owner, other._owner) && _version == other._version;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is VectorRecord other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(_owner, _version);

    /// <summary>Whether both are the same answer.</summary>
    public static bool operator ==(VectorRecord left, VectorRecord right) => left.Equals(right);

    /// <summary>Whether they are different answers.</summary>
    public static bool operator !=(VectorRecord left, VectorRecord right) => !left.Equals(right);
}
