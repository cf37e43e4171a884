using System.Buffers.Binary;
using System.Runtime.InteropServices;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Storage.Keys;

/// <summary>A page of the key directory: some entries of one bucket, and where its chain goes on.</summary>
/// <remarks>
/// <code>
/// offset in payload  size
///      0              8         next page of the chain; 0: none
///      8              8         bucket
///     16              4         depth: place in the chain, from 0
///     20              4         zero
///     24              8 x 252   keys, in no order
///   2040              8 x 252   values: the internal id of each key's node; highest bit: the key was deleted
/// </code>
/// <para>Bucket and depth make a chain that leads astray or into a circle an error at the first wrong step: no page has two places in a
/// chain.</para>
/// <para>Keys lie together, so that a look-up is one vectorised scan. A value has 8 bytes where today's ids need 4: the pairs stay aligned,
/// ids may
/// grow, and an entry has room for a state; the price is 4 bytes a key on disk.</para>
/// </remarks>
internal readonly ref struct KeyBucketPage
{
    /// <summary>Most entries of a page.</summary>
    public const int Capacity = 252;

    /// <summary>Payload bytes of a page.</summary>
    public const int PayloadSize = ValuesOffset + 8 * Capacity;

    /// <summary>Set in the value of an entry whose key was deleted. No writer makes one yet; readers do not find it.</summary>
    public const ulong TombstoneBit = 1UL << 63;

    private const int KeysOffset = 24;
    private const int ValuesOffset = KeysOffset + 8 * Capacity;

    private readonly ReadOnlySpan<byte> _page;

    /// <param name="page">The page's bytes, verified by <see cref="PageCodec"/>.</param>
    public KeyBucketPage(ReadOnlySpan<byte> page) => _page = page;

    /// <summary>Entries in use; they come first.</summary>
    public int Count => PageCodec.Items(_page);

    /// <summary>The next page of the chain; 0 if this is the last.</summary>
    public long Next => BinaryPrimitives.ReadInt64LittleEndian(Payload);

    /// <summary>The bucket whose keys these are.</summary>
    public long Bucket => BinaryPrimitives.ReadInt64LittleEndian(Payload[8..]);

    /// <summary>Place in the chain, from 0.</summary>
    public int Depth => BinaryPrimitives.ReadInt32LittleEndian(Payload[16..]);

    /// <summary>Keys of the entries in use.</summary>
    public ReadOnlySpan<ulong> Keys => MemoryMarshal.Cast<byte, ulong>(Payload[KeysOffset..])[..Count];

    /// <summary>Values of the entries in use.</summary>
    public ReadOnlySpan<ulong> Values => MemoryMarshal.Cast<byte, ulong>(Payload[ValuesOffset..])[..Count];

    private ReadOnlySpan<byte> Payload => PageCodec.Payload(_page);

    /// <summary>Looks a key up.</summary>
    /// <param name="key">The key.</param>
    /// <param name="value">Its value.</param>
    public bool TryFind(ulong key, out ulong value)
    {
        int at = Keys.IndexOf(key);
        value = at < 0 ? 0 : Values[at];
        return at >= 0;
    }

    /// <summary>Tells what is wrong with the content of a page whose checksum is right; null if nothing is.</summary>
    /// <param name="bucket">The bucket whose chain led here.</param>
    /// <param name="depth">Steps from the chain's beginning.</param>
    /// <param name="buckets">Buckets of the directory.</param>
    /// <param name="pageCount">Pages of the file.</param>
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

    /// <summary>Fills a zeroed page that is being put together; sealing it is left to the caller.</summary>
    public static void Write(Span<byte> page, long bucket, int depth, long next, ReadOnlySpan<ulong> keys, ReadOnlySpan<uint> ids)
    {
        Span<byte> payload = PageCodec.Payload(page);
        BinaryPrimitives.WriteInt64LittleEndian(payload, next);
        BinaryPrimitives.WriteInt64LittleEndian(payload[8..], bucket);
        BinaryPrimitives.WriteInt32LittleEndian(payload[16..], depth);
        keys.CopyTo(MemoryMarshal.Cast<byte, ulong>(payload[KeysOffset..]));
        Span<ulong> values = MemoryMarshal.Cast<byte, ulong>(payload[ValuesOffset..]);
        for (int i = 0; i < ids.Length; i++)
            values[i] = ids[i];
    }
}
