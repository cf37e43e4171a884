using System.Buffers.Binary;
using VectorPipe.Storage.Keys;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Tests.Storage.Keys;

/// <summary>Makes pages of a key directory wrong in one place, with a right checksum.</summary>
internal static class BucketPages
{
    /// <summary>Offsets within the payload.</summary>
    public const int NextAt = 0, BucketAt = 8, DepthAt = 16, FirstKeyAt = 24, FirstValueAt = 24 + (8 * KeyBucketPage.Capacity);

    /// <summary>A copy of the file with 8 bytes of a page's payload changed.</summary>
    public static byte[] Change(byte[] file, long page, int offset, ulong value)
    {
        byte[] changed = (byte[])file.Clone();
        BinaryPrimitives.WriteUInt64LittleEndian(PageCodec.Payload(PageOf(changed, page))[offset..], value);
        Reseal(changed, page);
        return changed;
    }

    /// <summary>8 bytes of a page's payload.</summary>
    public static ulong Read(byte[] file, long page, int offset) =>
        BinaryPrimitives.ReadUInt64LittleEndian(PageCodec.Payload(PageOf(file, page))[offset..]);

    private static Span<byte> PageOf(byte[] file, long page) => file.AsSpan((int)page * PageCodec.PageUnit, PageCodec.PageUnit);

    private static void Reseal(byte[] file, long page)
    {
        Span<byte> bytes = PageOf(file, page);
        var identity = new PageIdentity(
            BinaryPrimitives.ReadUInt64LittleEndian(bytes[8..]), page, BinaryPrimitives.ReadUInt32LittleEndian(bytes[24..]));
        PageCodec.Seal(bytes, PageKind.KeyBucket, PageCodec.Items(bytes), identity, PageCodec.PayloadLength(bytes));
    }
}
