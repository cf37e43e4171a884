using System.Buffers.Binary;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Storage.Vectors;

/// <summary>One verified page of the vectors as they were given.</summary>
/// <remarks>A view: valid as long as the bytes are.</remarks>
internal readonly ref struct OriginalVectorPage
{
    private readonly ReadOnlySpan<byte> _page;
    private readonly OriginalVectorLayout _layout;

    /// <param name="page">The page.</param>
    /// <param name="layout">The layout that wrote it.</param>
    public OriginalVectorPage(ReadOnlySpan<byte> page, OriginalVectorLayout layout)
    {
        _page = page;
        _layout = layout;
    }

    /// <summary>Vectors of the page.</summary>
    public int Count => PageCodec.Items(_page);

    /// <summary>The caller's identity of a slot's vector.</summary>
    public ulong Key(int slot) => BinaryPrimitives.ReadUInt64LittleEndian(_page[(PageCodec.HeaderSize + (slot * sizeof(ulong)))..]);

    /// <summary>The vector of a slot.</summary>
    public ReadOnlySpan<byte> Vector(int slot) => _page.Slice(_layout.VectorOffset + (slot * _layout.VectorStride), _layout.VectorBytes);

    /// <summary>Tells what is wrong with the content of a page whose checksum is right; null if nothing is.</summary>
    /// <param name="number">Its number in the file.</param>
    /// <param name="count">Vectors of the index.</param>
    public string? FindDefect(long number, long count)
    {
        int expected = _layout.VectorsOf(number, count);
        return Count == expected ? null : $"expected {expected} vectors, found {Count}";
    }

    /// <summary>Writes a key and its vector into a page that is being put together.</summary>
    public static void Write(Span<byte> page, OriginalVectorLayout layout, int slot, ulong key, ReadOnlySpan<byte> vector)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(page[(PageCodec.HeaderSize + (slot * sizeof(ulong)))..], key);
        vector.CopyTo(page[(layout.VectorOffset + (slot * layout.VectorStride))..]);
    }
}
