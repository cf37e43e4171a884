using VectorPipe.Diagnostics;
using VectorPipe.Numerics;

namespace VectorPipe.Storage;

/// <summary>Where things lie in a node page of the plain layout; all arithmetic, fixed for an index.</summary>
/// <remarks>
/// <para>A page's payload is an array of slots; slot s of page p is the node with internal id p x <see cref="NodesPerPage"/> + s, so no map
/// from ids to pages is held in memory. Node page p lies at file page p + 1, behind the file header.</para>
/// <code>
/// offset in slot       size
///      0               8      key
///      8               2      degree: links in use, 0 .. MaxDegree
///     10               1      state (NodeState): free, live, tombstone
///     11               1      zero
///     12               V      vector: dimension x element size
///     12 + V..         0..3   zeros up to a multiple of 4
///     LinksOffset      4 x R  links: internal ids (uint32); zeros behind the degree
/// </code>
/// <para>A node that is larger than 4,064 bytes gets pages of a multiple of 4 KiB, so that a node never spans pages.</para>
/// </remarks>
internal sealed record NodeLayout
{
    /// <summary>Offset of the vector in a slot.</summary>
    public const int VectorOffset = 12;

    /// <param name="elementType">Type of a component.</param>
    /// <param name="dimension">Components of a vector.</param>
    /// <param name="maxDegree">R: links that a slot has room for.</param>
    /// <exception cref="VectorPipeException">A node would not fit into the largest page.</exception>
    public NodeLayout(VectorElementType elementType, int dimension, int maxDegree)
    {
        ElementType = elementType;
        Dimension = dimension;
        MaxDegree = maxDegree;
        VectorBytes = checked(dimension * elementType.SizeInBytes());
        LinksOffset = VectorOffset + (VectorBytes + 3 & ~3);
        SlotBytes = LinksOffset + 4 * maxDegree;
        int units = (SlotBytes + PageCodec.HeaderSize + PageCodec.PageUnit - 1) / PageCodec.PageUnit;
        PageSize = units * PageCodec.PageUnit;
        if (PageSize > PageCodec.MaxPageSize)
        {
            throw new VectorPipeException(
                $"A node of dimension {dimension} ({elementType}) and degree {maxDegree} needs a page of {PageSize} bytes; expected at most {PageCodec.MaxPageSize}.");
        }

        NodesPerPage = (PageSize - PageCodec.HeaderSize) / SlotBytes;
    }

    /// <summary>Type of a component.</summary>
    public VectorElementType ElementType { get; }

    /// <summary>Components of a vector.</summary>
    public int Dimension { get; }

    /// <summary>R: links that a slot has room for.</summary>
    public int MaxDegree { get; }

    /// <summary>Bytes of a vector.</summary>
    public int VectorBytes { get; }

    /// <summary>Offset of the links in a slot.</summary>
    public int LinksOffset { get; }

    /// <summary>Bytes of a slot.</summary>
    public int SlotBytes { get; }

    /// <summary>Bytes of a page: the unit of reading.</summary>
    public int PageSize { get; }

    /// <summary>Slots of a page, at least 1.</summary>
    public int NodesPerPage { get; }

    /// <summary>Node pages that hold <paramref name="count"/> nodes.</summary>
    public long PageCount(long count) => (count + NodesPerPage - 1) / NodesPerPage;

    /// <summary>Offset of a slot in its page.</summary>
    public int SlotOffset(int slot) => PageCodec.HeaderSize + slot * SlotBytes;
}
