using System.Buffers.Binary;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Storage.Vectors;

/// <summary>A view of one verified page of original vectors; valid as long as the bytes are.</summary>
internal readonly ref struct OriginalVectorPage(ReadOnlySpan<byte> page, OriginalVectorLayout layout)
{
    private readonly ReadOnlySpan<byte> _page = page;
    private readonly OriginalVectorLayout _layout = layout;

    public int Count => PageCodec.Items(_page);

    public ulong Key(int slot) => BinaryPrimitives.ReadUInt64LittleEndian(_page[(PageCodec.HeaderSize + (slot * sizeof(ulong)))..]);

    public ReadOnlySpan<byte> Vector(int slot) => _page.Slice(_layout.VectorOffset + (slot * _layout.VectorStride), _layout.VectorBytes);

    /// <summary>Describes the defect of a page whose checksum is right; null if it has none.</summary>
    public string? FindDefect(long number, long count)
    {
        int expected = _layout.VectorsOf(number, count);
        return Count == expected ? null : $"expected {expected} vectors, found {Count}";
    }

    /// <summary>Writes a key and its vector into an unsealed page.</summary>
    public static void Write(Span<byte> page, OriginalVectorLayout layout, int slot, ulong key, ReadOnlySpan<byte> vector)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(page[(PageCodec.HeaderSize + (slot * sizeof(ulong)))..], key);
        vector.CopyTo(page[(layout.VectorOffset + (slot * layout.VectorStride))..]);
    }
}
