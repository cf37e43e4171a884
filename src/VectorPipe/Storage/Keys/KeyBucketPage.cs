using System.Buffers.Binary;
using System.Numerics;
using System.Runtime.InteropServices;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Storage.Keys;

/// <summary>A page of the key directory: entries of one bucket, and the next page of its chain.</summary>
/// <remarks>
/// Layout: docs/format.md#key-directory. No page has two places in a chain, so bucket and depth reveal a wrong or circular chain at its
/// first wrong step. Keys lie together, so a look-up is one vectorised scan. A value has 8 bytes although ids need 4: pairs stay aligned,
/// ids may grow, and an entry has room for a state, for 4 bytes per key on disk.
/// </remarks>
internal readonly ref struct KeyBucketPage
{
    /// <summary>The most entries of a page.</summary>
    public const int Capacity = 252;

    /// <summary>Payload bytes of a page.</summary>
    public const int PayloadSize = ValuesOffset + 8 * Capacity;

    /// <summary>Set in the value of a deleted key. No writer sets it; readers skip such entries.</summary>
    public const ulong TombstoneBit = 1UL << 63;

    /// <summary>Set in the value of a key that a checkpoint has moved since the build.</summary>
    public const ulong ChangedBit = 1UL << 62;

    private const int KeysOffset = 24;
    private const int ValuesOffset = KeysOffset + 8 * Capacity;

    private readonly ReadOnlySpan<byte> _page;

    /// <param name="page">The page's bytes, verified by <see cref="PageCodec"/>.</param>
    public KeyBucketPage(ReadOnlySpan<byte> page) => _page = page;

    public int Count => PageCodec.Items(_page);

    /// <summary>The next page of the chain; 0 for none.</summary>
    public long Next => BinaryPrimitives.ReadInt64LittleEndian(Payload);

    public long Bucket => BinaryPrimitives.ReadInt64LittleEndian(Payload[8..]);

    /// <summary>Place in the chain, from 0.</summary>
    public int Depth => BinaryPrimitives.ReadInt32LittleEndian(Payload[16..]);

    public ReadOnlySpan<ulong> Keys => MemoryMarshal.Cast<byte, ulong>(Payload[KeysOffset..])[..Count];
    public ReadOnlySpan<ulong> Values => MemoryMarshal.Cast<byte, ulong>(Payload[ValuesOffset..])[..Count];
    private ReadOnlySpan<byte> Payload => PageCodec.Payload(_page);

    public bool TryFind(ulong key, out ulong value)
    {
        int at = Keys.IndexOf(key);
        value = at < 0 ? 0 : Values[at];
        return at >= 0;
    }

    /// <summary>Describes the defect of a page at a place of a chain whose checksum is right; null if it has none.</summary>
    public string? FindDefect(long bucket, int depth, long buckets, long pageCount)
    {
        if (Bucket != bucket || Depth != depth)
            return $"expected page {depth} of the chain of bucket {bucket}, found page {Depth} of that of bucket {Bucket}";
        if (Count > Capacity || PageCodec.PayloadLength(_page) != PayloadSize)
            return $"expected at most {Capacity} entries in {PayloadSize} bytes, found {Count} in {PageCodec.PayloadLength(_page)}";
        if (Next != 0 && (Next < KeyDirectoryShape.FirstPage(buckets) || Next >= pageCount))
            return $"expected the chain to go on between page {KeyDirectoryShape.FirstPage(buckets)} and page {pageCount - 1}, found "
                + $"page {Next}";
        return null;
    }

    /// <summary>Fills a zeroed page; the caller seals it.</summary>
    public static void Write<TValue>(
        Span<byte> page, long bucket, int depth, long next, ReadOnlySpan<ulong> keys, ReadOnlySpan<TValue> values)
        where TValue : unmanaged, IUnsignedNumber<TValue>
    {
        Span<byte> payload = PageCodec.Payload(page);
        BinaryPrimitives.WriteInt64LittleEndian(payload, next);
        BinaryPrimitives.WriteInt64LittleEndian(payload[8..], bucket);
        BinaryPrimitives.WriteInt32LittleEndian(payload[16..], depth);
        keys.CopyTo(MemoryMarshal.Cast<byte, ulong>(payload[KeysOffset..]));
        Span<ulong> target = MemoryMarshal.Cast<byte, ulong>(payload[ValuesOffset..]);
        for (int i = 0; i < values.Length; i++)
            target[i] = ulong.CreateTruncating(values[i]);
    }
}
