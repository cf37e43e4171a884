using VectorPipe.Numerics.Conversion;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Storage.Nodes;

/// <summary>The places of things in a node page, computed once for an index.</summary>
/// <remarks>
/// <para>Layouts: docs/format.md#merged-pages, #plain-pages, #ivf-index. Slot s of page p is the node with internal id
/// p x <see cref="NodesPerPage"/> + s, so no map from ids to pages is in memory. Node page p is file page p + 1, behind the file header.
/// A page with room for later nodes has free slots behind the first <see cref="Fill"/>, whose ids are not in use. Vectors, keys and states
/// lie at fixed strides; each slot has a list of links.</para>
/// <para>A node that does not fit into 4 KiB gets pages of a multiple of 4 KiB, so that nothing spans pages.</para>
/// </remarks>
internal sealed record NodeLayout
{
    /// <summary>The most links of a list, in any layout.</summary>
    public const int MaxLinks = 1024;

    private const int ReplicaCountBytes = 4;

    private NodeLayout(VectorElementType elementType, int dimension)
    {
        ElementType = elementType;
        Dimension = dimension;
        VectorBytes = checked(dimension * elementType.SizeInBytes());
    }

    public required NodeLayoutKind Kind { get; init; }

    /// <summary>Type of a component in pages.</summary>
    public VectorElementType ElementType { get; }

    public int Dimension { get; }
    public int VectorBytes { get; }
    public required int PageSize { get; init; }

    /// <summary>Nodes of a page, at least 1.</summary>
    public required int NodesPerPage { get; init; }

    /// <summary>Nodes of every page but the last in a graph as it was built; the slots behind them are free.</summary>
    public required int Fill { get; init; }

    /// <summary>The most replicas of a page.</summary>
    public int ReplicasPerPage { get; private init; }

    /// <summary>The most links of a list.</summary>
    public required int MaxListLength { get; init; }

    public int VectorOffset { get; private init; }
    public int VectorStride { get; private init; }
    public int KeyOffset { get; private init; }
    public int KeyStride { get; private init; }
    public int StateOffset { get; private init; }
    public int StateStride { get; private init; }

    /// <summary>Offset of the first count of links in a page; in the merged layout that of the first list.</summary>
    public int LinkCountOffset { get; private init; }

    public int LinkCountStride { get; private init; }

    /// <summary>Offset of the links: of the first node's in the plain layout, of all in the merged one.</summary>
    public int LinksOffset { get; private init; }

    /// <summary>Merged: offset of the replicas' internal ids in a page.</summary>
    public int ReplicaIdsOffset { get; private init; }

    /// <summary>Merged: offset of the first list's end in a page.</summary>
    public int ListEndsOffset { get; private init; }

    /// <summary>Merged: the most bytes of a page's lists.</summary>
    public int LinkBytes { get; private init; }

    public GapCode LinkCode { get; private init; } = GapCode.Uniform;

    /// <summary>Plain: bytes of a slot.</summary>
    public int SlotBytes { get; private init; }

    public PageKind PageKind => Kind switch
    {
        NodeLayoutKind.Merged => PageKind.MergedNodes,
        NodeLayoutKind.Lists => PageKind.ListVectors,
        _ => PageKind.PlainNodes,
    };

    public bool IsMerged => Kind == NodeLayoutKind.Merged;

    /// <summary>The most vectors of a page.</summary>
    public int VectorsPerPage => NodesPerPage + ReplicasPerPage;

    /// <summary>The plain layout of nodes with up to <paramref name="maxDegree"/> links.</summary>
    /// <exception cref="VectorPipeException">A node would not fit into the largest page.</exception>
    public static NodeLayout Plain(VectorElementType elementType, int dimension, int maxDegree)
    {
        const int vectorInSlot = 12;
        int vectorBytes = checked(dimension * elementType.SizeInBytes());
        int linksInSlot = vectorInSlot + (vectorBytes + 3 & ~3);
        int slotBytes = linksInSlot + 4 * maxDegree;
        int units = (slotBytes + PageCodec.HeaderSize + PageCodec.PageUnit - 1) / PageCodec.PageUnit;
        int pageSize = units * PageCodec.PageUnit;
        if (pageSize > PageCodec.MaxPageSize)
        {
            throw new VectorPipeException(
                $"A node of dimension {dimension} ({elementType}) and degree {maxDegree} needs a page of {pageSize} bytes; expected at "
                + $"most {PageCodec.MaxPageSize}.");
        }

        return new NodeLayout(elementType, dimension)
        {
            Kind = NodeLayoutKind.Plain,
            PageSize = pageSize,
            NodesPerPage = (pageSize - PageCodec.HeaderSize) / slotBytes,
            Fill = (pageSize - PageCodec.HeaderSize) / slotBytes,
            MaxListLength = maxDegree,
            SlotBytes = slotBytes,
            VectorOffset = PageCodec.HeaderSize + vectorInSlot,
            VectorStride = slotBytes,
            KeyOffset = PageCodec.HeaderSize,
            KeyStride = slotBytes,
            LinkCountOffset = PageCodec.HeaderSize + 8,
            LinkCountStride = slotBytes,
            StateOffset = PageCodec.HeaderSize + 10,
            StateStride = slotBytes,
            LinksOffset = PageCodec.HeaderSize + linksInSlot,
        };
    }

    /// <summary>The merged layout of pages with <paramref name="owned"/> nodes and up to <paramref name="replicas"/> replicas.</summary>
    public static NodeLayout OfMergedPages(
        VectorElementType elementType, int dimension, int owned, int replicas, int pageSize, GapCode linkCode, int fill)
    {
        int vectors = owned + replicas;
        int stride = checked(dimension * elementType.SizeInBytes()) + 3 & ~3;
        int keys = PageCodec.HeaderSize + ReplicaCountBytes;
        int replicaIds = keys + sizeof(ulong) * vectors;
        int linkCounts = replicaIds + sizeof(uint) * replicas;
        int listEnds = linkCounts + sizeof(ushort) * owned;
        int states = listEnds + sizeof(ushort) * owned;
        int firstVector = states + vectors + 3 & ~3;
        long links = firstVector + (long)stride * vectors;
        if (links + GapCode.Padding > pageSize)
        {
            throw new VectorPipeException(
                $"{vectors} vectors of dimension {dimension} ({elementType}) need a page of {links + GapCode.Padding} bytes; expected at "
                + $"most {pageSize}.");
        }

        return new NodeLayout(elementType, dimension)
        {
            Kind = NodeLayoutKind.Merged,
            PageSize = pageSize,
            NodesPerPage = owned,
            Fill = fill,
            ReplicasPerPage = replicas,
            MaxListLength = MaxLinks,
            VectorOffset = firstVector,
            VectorStride = stride,
            KeyOffset = keys,
            KeyStride = sizeof(ulong),
            StateOffset = states,
            StateStride = 1,
            LinkCountOffset = linkCounts,
            LinkCountStride = sizeof(ushort),
            ReplicaIdsOffset = replicaIds,
            ListEndsOffset = listEnds,
            LinksOffset = (int)links,
            LinkCode = linkCode,
            // Ends of lists have 16 bits.
            LinkBytes = Math.Min(ushort.MaxValue, pageSize - (int)links - GapCode.Padding),
        };
    }

    /// <summary>The IVF layout.</summary>
    public static NodeLayout Lists(VectorElementType elementType, int dimension, int pageSize)
    {
        const int linkCountBytes = 4;
        int stride = checked(dimension * elementType.SizeInBytes()) + 3 & ~3;
        int keys = PageCodec.HeaderSize + linkCountBytes;

        // Up to three bytes of padding lie between states and vectors.
        int nodes = Math.Min((pageSize - keys - 3) / (stride + sizeof(ulong) + 1), ushort.MaxValue);
        if (nodes < 1)
            throw new VectorPipeException(
                $"A vector of dimension {dimension} ({elementType}) needs a page of {keys + 3 + stride + sizeof(ulong) + 1} bytes; "
                + $"expected at most {pageSize}.");
        int states = keys + (sizeof(ulong) * nodes);
        int vectors = states + nodes + 3 & ~3;
        return new NodeLayout(elementType, dimension)
        {
            Kind = NodeLayoutKind.Lists,
            PageSize = pageSize,
            NodesPerPage = nodes,
            Fill = nodes,
            MaxListLength = 0,
            VectorOffset = vectors,
            VectorStride = stride,
            KeyOffset = keys,
            KeyStride = sizeof(ulong),
            StateOffset = states,
            StateStride = 1,
            LinkCountOffset = PageCodec.HeaderSize,
            LinkCountStride = 0,
            LinksOffset = vectors + (stride * nodes),
        };
    }

    public NodeLayout WithLinkCode(GapCode code) => this with { LinkCode = code };

    /// <summary>Links for which a page has room: exact in the plain layout, an estimate of evenly spread links in the merged one.</summary>
    public int LinkRoom(long count)
    {
        if (!IsMerged)
            return MaxListLength * NodesPerPage;
        int listLength = Math.Max(1, LinkBytes / (2 * Fill));
        double bits = Math.Max(4, Math.Log2(Math.Max(1, (double)count / listLength)));
        return (int)Math.Min(LinkBytes * 8 / bits, MaxLinks * Fill);
    }

    /// <summary>Pages that a build fills with a number of nodes.</summary>
    public long PageCount(long count) => (count + Fill - 1) / Fill;
}
