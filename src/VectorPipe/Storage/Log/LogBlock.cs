using System.Buffers.Binary;
using System.Diagnostics;
using VectorPipe.Numerics.Hashing;

namespace VectorPipe.Storage.Log;

/// <summary>Writes and checks the blocks of a log: 4 KiB each, a header and a part of a group's payload.</summary>
/// <remarks>
/// Each block has its segment's identity, so that blocks of an earlier life of a recycled file never pass, and the checksum of the block
/// before it (docs/format.md#log).
/// </remarks>
internal static class LogBlock
{
    /// <summary>Bytes of a block: the unit of a direct write, which a written block never shares with a later group.</summary>
    public const int Size = 4096;

    /// <summary>Bytes of a header.</summary>
    public const int HeaderSize = 48;

    /// <summary>Most bytes of payload in a block.</summary>
    public const int PayloadSize = Size - HeaderSize;

    private const ushort Magic = 0x474c; // "LG"
    private const ushort LastOfGroup = 1;

    /// <summary>Number of blocks of a group.</summary>
    public static int CountFor(int payloadBytes) => (payloadBytes + PayloadSize - 1) / PayloadSize;

    /// <summary>Writes a block and pads it with zeros.</summary>
    /// <returns>Its checksum, for the block after it.</returns>
    public static uint Write(Span<byte> block, in LogBlockHeader header, ReadOnlySpan<byte> payload)
    {
        Debug.Assert(block.Length == Size && payload.Length is > 0 and <= PayloadSize, "A block holds 1 to 4,048 bytes.");
        BinaryPrimitives.WriteUInt16LittleEndian(block[4..], Magic);
        BinaryPrimitives.WriteUInt16LittleEndian(block[6..], header.IsLast ? LastOfGroup : (ushort)0);
        BinaryPrimitives.WriteUInt64LittleEndian(block[8..], header.Identity);
        BinaryPrimitives.WriteUInt64LittleEndian(block[16..], header.Group);
        BinaryPrimitives.WriteUInt64LittleEndian(block[24..], header.DurableGroup);
        BinaryPrimitives.WriteUInt32LittleEndian(block[32..], (uint)header.Block);
        BinaryPrimitives.WriteUInt32LittleEndian(block[36..], header.Before);
        BinaryPrimitives.WriteUInt32LittleEndian(block[40..], (uint)payload.Length);
        BinaryPrimitives.WriteUInt32LittleEndian(block[44..], 0);
        payload.CopyTo(block[HeaderSize..]);
        block[(HeaderSize + payload.Length)..].Clear();
        uint checksum = Crc32C.Compute(block[4..]);
        BinaryPrimitives.WriteUInt32LittleEndian(block, checksum);
        return checksum;
    }

    /// <summary>Reads the header of a block that is whole and belongs to a segment.</summary>
    /// <param name="block">The block as it was read.</param>
    /// <param name="identity">The segment's identity.</param>
    /// <param name="number">The block's number in the segment.</param>
    /// <param name="header">The header.</param>
    /// <returns>False if the block is damaged, belongs elsewhere, or was never written.</returns>
    public static bool TryRead(ReadOnlySpan<byte> block, ulong identity, int number, out LogBlockHeader header)
    {
        header = default;
        uint checksum = BinaryPrimitives.ReadUInt32LittleEndian(block);
        uint length = BinaryPrimitives.ReadUInt32LittleEndian(block[40..]);
        if (BinaryPrimitives.ReadUInt16LittleEndian(block[4..]) != Magic
            || BinaryPrimitives.ReadUInt64LittleEndian(block[8..]) != identity
            || BinaryPrimitives.ReadUInt32LittleEndian(block[32..]) != (uint)number
            || length is 0 or > PayloadSize
            || Crc32C.Compute(block[4..]) != checksum)
            return false;
        header = new LogBlockHeader
        {
            Identity = identity,
            Block = number,
            Group = BinaryPrimitives.ReadUInt64LittleEndian(block[16..]),
            DurableGroup = BinaryPrimitives.ReadUInt64LittleEndian(block[24..]),
            Before = BinaryPrimitives.ReadUInt32LittleEndian(block[36..]),
            IsLast = (BinaryPrimitives.ReadUInt16LittleEndian(block[6..]) & LastOfGroup) != 0,
            PayloadLength = (int)length,
            Checksum = checksum,
        };
        return true;
    }
}
