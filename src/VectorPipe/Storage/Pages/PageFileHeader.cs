using System.Buffers.Binary;
using VectorPipe.Model;
using VectorPipe.Storage.Files;

namespace VectorPipe.Storage.Pages;

/// <summary>The payload of page 0: identifies a file without its manifest.</summary>
/// <remarks>Layout: docs/format.md#page-0-the-file-header.</remarks>
internal readonly record struct PageFileHeader(FileRole Role, int PageSize, ulong IndexId, long PageCount, long StreamLength)
{
    public const int Size = 40;

    private static ReadOnlySpan<byte> Magic => "VPFILE\0\0"u8;

    public void Write(Span<byte> payload)
    {
        Magic.CopyTo(payload);
        BinaryPrimitives.WriteUInt16LittleEndian(payload[8..], (ushort)Role);
        BinaryPrimitives.WriteUInt16LittleEndian(payload[10..], (ushort)SchemaLimits.FormatVersion);
        BinaryPrimitives.WriteInt32LittleEndian(payload[12..], PageSize);
        BinaryPrimitives.WriteUInt64LittleEndian(payload[16..], IndexId);
        BinaryPrimitives.WriteInt64LittleEndian(payload[24..], PageCount);
        BinaryPrimitives.WriteInt64LittleEndian(payload[32..], StreamLength);
    }

    /// <summary>Reads page 0 of a file that a manifest names, and checks that it agrees with the manifest.</summary>
    /// <exception cref="IndexCorruptException">The page is damaged, or belongs to another file.</exception>
    public static PageFileHeader Verify(string path, ReadOnlySpan<byte> page, FileEntry entry, ulong indexId)
    {
        PageCodec.Verify(path, page, PageKind.FileHeader, new PageIdentity(entry.FileId, 0, entry.Generation));
        PageFileHeader header = Read(path, PageCodec.Payload(page));
        if (header.IndexId != indexId)
            throw new IndexCorruptException(path, 0, $"expected a file of index {indexId:x16}, found one of index {header.IndexId:x16}");
        if (header.Role != entry.Role || header.PageSize != entry.PageSize || header.PageCount != entry.PageCount)
            throw new IndexCorruptException(
                path, 0,
                $"expected {entry.PageCount} pages of {entry.PageSize} bytes for role {entry.Role}, found {header.PageCount} of "
                + $"{header.PageSize} for {header.Role}");

        // Callers allocate memory by this length, so the length of the file must bound it.
        if (header.StreamLength != 0 && (header.StreamLength < 0 || PagedStreamWriter.PageCount(header.StreamLength) != header.PageCount))
            throw new IndexCorruptException(
                path, 0, $"expected a stream that fills {header.PageCount} pages, found one of {header.StreamLength} bytes");
        return header;
    }

    /// <exception cref="IndexCorruptException">It is not a file header.</exception>
    public static PageFileHeader Read(string path, ReadOnlySpan<byte> payload)
    {
        if (!payload[..8].SequenceEqual(Magic))
            throw new IndexCorruptException(path, 0, "expected a file header that begins with \"VPFILE\", found other bytes");
        return new PageFileHeader(
            (FileRole)BinaryPrimitives.ReadUInt16LittleEndian(payload[8..]),
            BinaryPrimitives.ReadInt32LittleEndian(payload[12..]),
            BinaryPrimitives.ReadUInt64LittleEndian(payload[16..]),
            BinaryPrimitives.ReadInt64LittleEndian(payload[24..]),
            BinaryPrimitives.ReadInt64LittleEndian(payload[32..]));
    }
}
