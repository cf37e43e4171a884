using System.Buffers.Binary;
using VectorPipe.Numerics.Hashing;

namespace VectorPipe.Storage.Scratch;

/// <summary>The end of a scratch file: a checksum per block of its content, and a trailer page that identifies the file.</summary>
/// <remarks>
/// <code>
/// content, padded with zeros to a page
/// table    4 bytes a block: CRC-32C of the block's content (the last block may be shorter), padded with zeros to a page
/// trailer  page of 4,096 bytes:
///          0   8  "VPSCRTCH"
///          8   4  version (1)
///         12   4  bytes of a block
///         16   8  bytes of the content
///         24   4  CRC-32C of the table
///         28   4  CRC-32C of bytes 0-27
/// </code>
/// Scratch files live as long as one build; their version only guards against mistakes.
/// </remarks>
internal static class ScratchFormat
{
    /// <summary>Bytes of a block: the unit of checksums and of verified reads.</summary>
    public const int BlockBytes = 16 * 1024;

    /// <summary>Content and table end at multiples of this, so that direct reads reach all of it.</summary>
    public const int PageBytes = 4096;

    private const int Version = 1;
    private const int TrailerLength = 32;

    private static ReadOnlySpan<byte> Magic => "VPSCRTCH"u8;

    public static long BlockCount(long length) => (length + BlockBytes - 1) / BlockBytes;

    /// <summary>Rounds up to whole pages.</summary>
    public static long ToPages(long length) => (length + PageBytes - 1) / PageBytes * PageBytes;

    /// <summary>Bytes of a file whose content has this length.</summary>
    public static long FileLength(long length) => ToPages(length) + ToPages(BlockCount(length) * sizeof(uint)) + PageBytes;

    public static void WriteTrailer(Span<byte> page, long length, uint tableChecksum)
    {
        page[..PageBytes].Clear();
        Magic.CopyTo(page);
        BinaryPrimitives.WriteInt32LittleEndian(page[8..], Version);
        BinaryPrimitives.WriteInt32LittleEndian(page[12..], BlockBytes);
        BinaryPrimitives.WriteInt64LittleEndian(page[16..], length);
        BinaryPrimitives.WriteUInt32LittleEndian(page[24..], tableChecksum);
        BinaryPrimitives.WriteUInt32LittleEndian(page[28..], Crc32C.Compute(page[..(TrailerLength - sizeof(uint))]));
    }

    /// <summary>Reads the trailer page.</summary>
    /// <returns>Bytes of the content, and the checksum of the table.</returns>
    /// <exception cref="IndexCorruptException">It is no trailer of a complete scratch file.</exception>
    public static (long Length, uint TableChecksum) ReadTrailer(string path, ReadOnlySpan<byte> page, long fileLength)
    {
        bool isTrailer = page[..8].SequenceEqual(Magic)
            && BinaryPrimitives.ReadUInt32LittleEndian(page[28..]) == Crc32C.Compute(page[..(TrailerLength - sizeof(uint))])
            && BinaryPrimitives.ReadInt32LittleEndian(page[8..]) == Version
            && BinaryPrimitives.ReadInt32LittleEndian(page[12..]) == BlockBytes;
        if (!isTrailer)
            throw new IndexCorruptException(path, "expected the trailer of a scratch file at its end, found other bytes");
        long length = BinaryPrimitives.ReadInt64LittleEndian(page[16..]);
        if (length < 0 || FileLength(length) != fileLength)
            throw new IndexCorruptException(
                path, $"expected {(length < 0 ? 0 : FileLength(length))} bytes for a content of {length}, found {fileLength}");
        return (length, BinaryPrimitives.ReadUInt32LittleEndian(page[24..]));
    }
}
