using VectorPipe.Numerics.Conversion;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Storage.Vectors;

/// <summary>The places of keys and vectors in a page of the file of original vectors.</summary>
/// <remarks>
/// Layout: docs/format.md#original-vectors. The vector at position i, in the order of internal ids, is in slot
/// i mod <see cref="VectorsPerPage"/> of page 1 + i / <see cref="VectorsPerPage"/>, so a look-up reads one page. A page is the smallest one
/// that holds a vector.
/// </remarks>
internal sealed record OriginalVectorLayout
{
    public OriginalVectorLayout(VectorElementType elementType, int dimension)
    {
        VectorBytes = checked(dimension * elementType.SizeInBytes());
        VectorStride = VectorBytes + 3 & ~3;
        int slotBytes = sizeof(ulong) + VectorStride;
        PageSize = (PageCodec.HeaderSize + slotBytes + PageCodec.PageUnit - 1) / PageCodec.PageUnit * PageCodec.PageUnit;
        VectorsPerPage = (PageSize - PageCodec.HeaderSize) / slotBytes;
        VectorOffset = PageCodec.HeaderSize + (VectorsPerPage * sizeof(ulong));
    }

    public int PageSize { get; }

    /// <summary>N: vectors of a page.</summary>
    public int VectorsPerPage { get; }

    public int VectorBytes { get; }

    /// <summary>S: bytes from one vector to the next.</summary>
    public int VectorStride { get; }

    /// <summary>Offset of the first vector in a page; keys begin at <see cref="PageCodec.HeaderSize"/>.</summary>
    public int VectorOffset { get; }

    /// <summary>The page that holds a node's vector; page 0 is the file's header.</summary>
    public long PageOf(long position) => 1 + (position / VectorsPerPage);

    /// <summary>The slot of a node's vector in its page.</summary>
    public int SlotOf(long position) => (int)(position % VectorsPerPage);

    /// <summary>Pages of the file, the header included.</summary>
    public long PageCount(long count) => 1 + ((count + VectorsPerPage - 1) / VectorsPerPage);

    /// <summary>Vectors of a page, numbered from 1, in an index of <paramref name="count"/> vectors.</summary>
    public int VectorsOf(long page, long count) => (int)Math.Min(VectorsPerPage, count - ((page - 1) * VectorsPerPage));

    /// <summary>Makes sure that a file has the pages of <paramref name="count"/> vectors.</summary>
    public void RequirePages(PageFileReader file, long count)
    {
        if (file.Entry.PageSize != PageSize || file.Entry.PageCount != PageCount(count))
            throw new IndexCorruptException(
                file.FilePath,
                $"expected {PageCount(count)} pages of {PageSize} bytes of original vectors, found {file.Entry.PageCount} of "
                + $"{file.Entry.PageSize}");
    }
}
