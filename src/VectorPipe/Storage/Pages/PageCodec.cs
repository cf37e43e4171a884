using System.Buffers.Binary;
using System.Diagnostics;
using VectorPipe.Numerics.Hashing;

namespace VectorPipe.Storage.Pages;

/// <summary>The header of every page, and the checksum that binds a page's bytes to its file, place and generation.</summary>
/// <remarks>
/// Layout: docs/format.md#pages. The checksum covers the identity, so a page of another file, place or generation is distinguished from
/// one whose bytes changed.
/// </remarks>
internal static class PageCodec
{
    public const int HeaderSize = 32;

    /// <summary>Smallest page and unit of page sizes in bytes, as SSDs and kernels work.</summary>
    public const int PageUnit = 4096;

    public const int MaxPageSize = 1 << 20;

    public static bool IsPageSize(int bytes) => bytes > 0 && bytes % PageUnit == 0 && bytes <= MaxPageSize;

    public static Span<byte> Payload(Span<byte> page) => page[HeaderSize..];

    public static ReadOnlySpan<byte> Payload(ReadOnlySpan<byte> page) => page[HeaderSize..];

    /// <summary>Payload bytes in use, by the header of a verified page.</summary>
    public static int PayloadLength(ReadOnlySpan<byte> page) => (int)BinaryPrimitives.ReadUInt32LittleEndian(page[28..]);

    /// <summary>Slots in use, by the header of a verified page.</summary>
    public static int Items(ReadOnlySpan<byte> page) => BinaryPrimitives.ReadUInt16LittleEndian(page[6..]);

    /// <summary>Writes the header of a page whose payload is complete, checksum last.</summary>
    public static void Seal(Span<byte> page, PageKind kind, int items, PageIdentity identity, int payloadLength)
    {
        Debug.Assert(page.Length % PageUnit == 0, "a page is a multiple of the page unit");
        Debug.Assert((uint)payloadLength <= (uint)(page.Length - HeaderSize), "the payload lies inside the page");
        Debug.Assert((uint)items <= ushort.MaxValue, "the item count has 16 bits");
        BinaryPrimitives.WriteUInt16LittleEndian(page[4..], (ushort)kind);
        BinaryPrimitives.WriteUInt16LittleEndian(page[6..], (ushort)items);
        BinaryPrimitives.WriteUInt64LittleEndian(page[8..], identity.FileId);
        BinaryPrimitives.WriteInt64LittleEndian(page[16..], identity.PageNumber);
        BinaryPrimitives.WriteUInt32LittleEndian(page[24..], identity.Generation);
        BinaryPrimitives.WriteUInt32LittleEndian(page[28..], (uint)payloadLength);
        BinaryPrimitives.WriteUInt32LittleEndian(page, Crc32C.Compute(page[4..]));
        Debug.Assert(Check(page, kind, identity) == PageFault.None, "a sealed page verifies");
    }

    /// <summary>Whether a page is the expected one, undamaged.</summary>
    public static PageFault Check(ReadOnlySpan<byte> page, PageKind kind, PageIdentity expected)
    {
        if (BinaryPrimitives.ReadUInt32LittleEndian(page) != Crc32C.Compute(page[4..]))
            return page.IndexOfAnyExcept((byte)0) < 0 ? PageFault.Zeroed : PageFault.Checksum;
        if (BinaryPrimitives.ReadUInt64LittleEndian(page[8..]) != expected.FileId)
            return PageFault.ForeignFile;
        if (BinaryPrimitives.ReadInt64LittleEndian(page[16..]) != expected.PageNumber)
            return PageFault.Misplaced;
        if (BinaryPrimitives.ReadUInt32LittleEndian(page[24..]) != expected.Generation)
            return PageFault.Stale;
        if (BinaryPrimitives.ReadUInt16LittleEndian(page[4..]) != (ushort)kind)
            return PageFault.Kind;
        if (PayloadLength(page) < 0 || PayloadLength(page) > page.Length - HeaderSize)
            return PageFault.Length;
        return PageFault.None;
    }

    /// <summary>The error for a page that failed <see cref="Check"/>.</summary>
    public static IndexCorruptException Error(string file, ReadOnlySpan<byte> page, PageKind kind, PageIdentity expected, PageFault fault)
    {
        string found = fault switch
        {
            PageFault.Zeroed => "expected a written page, found only zeros",
            PageFault.Checksum => $"expected checksum {BinaryPrimitives.ReadUInt32LittleEndian(page):x8} (stored), "
                + $"found {Crc32C.Compute(page[4..]):x8} (computed)",
            PageFault.ForeignFile =>
                $"expected file identity {expected.FileId:x16}, found {BinaryPrimitives.ReadUInt64LittleEndian(page[8..]):x16}",
            PageFault.Misplaced =>
                $"expected page number {expected.PageNumber}, found {BinaryPrimitives.ReadInt64LittleEndian(page[16..])}",
            PageFault.Stale => $"expected generation {expected.Generation}, found {BinaryPrimitives.ReadUInt32LittleEndian(page[24..])}",
            PageFault.Kind => $"expected page kind {kind}, found {BinaryPrimitives.ReadUInt16LittleEndian(page[4..])}",
            PageFault.Length =>
                $"expected at most {page.Length - HeaderSize} payload bytes, found {BinaryPrimitives.ReadUInt32LittleEndian(page[28..])}",
            _ => throw new ArgumentOutOfRangeException(nameof(fault), fault, "Expected a fault."),
        };
        return new IndexCorruptException(file, expected.PageNumber, found);
    }

    /// <exception cref="IndexCorruptException">The page is not the expected one, or it is damaged.</exception>
    public static void Verify(string file, ReadOnlySpan<byte> page, PageKind kind, PageIdentity expected)
    {
        PageFault fault = Check(page, kind, expected);
        if (fault != PageFault.None)
            throw Error(file, page, kind, expected, fault);
    }
}
