using System.Buffers;
using System.Buffers.Binary;

namespace VectorPipe.Collections.Writing;

/// <summary>The writes of a group of the log, one after another.</summary>
/// <remarks>
/// A write: kind (1), flags (1), two zeros, length of the body (4), handle (8), the vector if it is an upsert, the body. Flag 1: the write
/// replaces or deletes a record that is older than the last checkpoint before it. Flag 2: the handle is not the one that the key hashes to.
/// </remarks>
internal static class GroupCodec
{
    /// <summary>Bytes of a write before its vector.</summary>
    public const int HeaderBytes = 16;

    private const byte ReplacesFlag = 1, DisplacedFlag = 2;

    /// <summary>Appends a write.</summary>
    public static void Write(ArrayBufferWriter<byte> group, WriteOperation write)
    {
        Span<byte> bytes = group.GetSpan(write.LogBytes);
        bytes[0] = (byte)write.Kind;
        bytes[1] = (byte)((write.Replaces ? ReplacesFlag : 0) | (write.Handle == write.Home ? 0 : DisplacedFlag));
        bytes[2] = bytes[3] = 0;
        BinaryPrimitives.WriteInt32LittleEndian(bytes[4..], write.Body.Length);
        BinaryPrimitives.WriteUInt64LittleEndian(bytes[8..], write.Handle);
        write.Vector.CopyTo(bytes[HeaderBytes..]);
        write.Body.CopyTo(bytes[(HeaderBytes + write.Vector.Length)..]);
        group.Advance(write.LogBytes);
    }

    /// <summary>Reads the next write; false if the bytes are none.</summary>
    /// <param name="group">The rest of the group; advanced.</param>
    /// <param name="vectorBytes">Bytes of a vector.</param>
    /// <param name="write">The write.</param>
    public static bool TryRead(ref ReadOnlySpan<byte> group, int vectorBytes, out LoggedWrite write)
    {
        write = default;
        if (group.Length < HeaderBytes)
            return false;
        var kind = (WriteKind)group[0];
        byte flags = group[1];
        int bodyLength = BinaryPrimitives.ReadInt32LittleEndian(group[4..]);
        int vectorLength = kind == WriteKind.Upsert ? vectorBytes : 0;
        if (kind is not (WriteKind.Upsert or WriteKind.Delete) || flags > (ReplacesFlag | DisplacedFlag) || bodyLength < 0
            || group.Length - HeaderBytes - vectorLength < bodyLength)
            return false;
        write = new LoggedWrite
        {
            Kind = kind,
            Handle = BinaryPrimitives.ReadUInt64LittleEndian(group[8..]),
            Replaces = (flags & ReplacesFlag) != 0,
            IsDisplaced = (flags & DisplacedFlag) != 0,
            Vector = group.Slice(HeaderBytes, vectorLength),
            Body = group.Slice(HeaderBytes + vectorLength, bodyLength),
        };
        group = group[(HeaderBytes + vectorLength + bodyLength)..];
        return true;
    }
}
