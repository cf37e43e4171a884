using System.Buffers.Binary;
using System.Diagnostics;
using System.Runtime.InteropServices;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Storage.Nodes;

/// <summary>A view of one verified node page: vectors of its own nodes and of replicas, and a list of links per node.</summary>
/// <remarks>Valid as long as the bytes are. The page is little-endian, like every machine that .NET runs on.</remarks>
internal readonly unsafe ref struct NodePage
{
    private const int StateBits = 2;
    private const int StateMask = (1 << StateBits) - 1;

    private readonly byte* _page;
    private readonly NodeLayout _layout;

    public NodePage(byte* page, NodeLayout layout)
    {
        _page = page;
        _layout = layout;
    }

    /// <summary>Nodes of the page: slots in use; they come first.</summary>
    public int Count => *(ushort*)(_page + 6);

    /// <summary>Replicas of the page: slots in use from <see cref="NodeLayout.NodesPerPage"/> on.</summary>
    public int ReplicaCount => _layout.IsMerged ? *(ushort*)(_page + PageCodec.HeaderSize) : 0;

    /// <summary>The first vector; the others follow at a distance of <see cref="NodeLayout.VectorStride"/>.</summary>
    public byte* FirstVector => _page + _layout.VectorOffset;

    public ulong Key(int slot) => *(ulong*)(_page + _layout.KeyOffset + (nint)slot * _layout.KeyStride);

    public NodeState State(int slot) => (NodeState)(StateByte(slot) & StateMask);

    /// <summary>The version of the slot of which a replica repeats the node.</summary>
    public int Version(int slot) => StateByte(slot) >> StateBits;

    /// <summary>The internal id of a replica, numbered from 0.</summary>
    public uint ReplicaId(int replica) => *(uint*)(_page + _layout.ReplicaIdsOffset + (nint)replica * sizeof(uint));

    public int LinkCount(int slot) => *(ushort*)(_page + _layout.LinkCountOffset + (nint)slot * _layout.LinkCountStride);

    public ReadOnlySpan<byte> Vector(int slot) => new(FirstVector + (nint)slot * _layout.VectorStride, _layout.VectorBytes);

    /// <summary>Reads a node's list of links; false if the list is unsound or leads out of the index.</summary>
    public bool TryReadLinks(int slot, uint nodes, Span<uint> ids)
    {
        int count = LinkCount(slot);
        ids = ids[..count];
        if (!_layout.IsMerged)
        {
            new ReadOnlySpan<uint>(_page + _layout.LinksOffset + (nint)slot * _layout.SlotBytes, count).CopyTo(ids);
        }
        else
        {
            int from = slot == 0 ? 0 : ListEnd(slot - 1);
            fixed (uint* first = ids)
            {
                return _layout.LinkCode.TryDecode(_page + _layout.LinksOffset + from, ListEnd(slot) - from, count, nodes, first);
            }
        }

        foreach (uint id in ids)
        {
            if (id >= nodes)
                return false;
        }

        return true;
    }

    /// <summary>Describes why a page is not the page of its number; null if it is. A replica twice would be an answer twice.</summary>
    /// <param name="number">Number of the page.</param>
    /// <param name="nodes">Internal ids are below this.</param>
    /// <param name="hasHoles">Whether checkpoints may have written it, so that any slot is free.</param>
    public string? FindMisplaced(long number, long nodes, bool hasHoles = false)
    {
        long first = number * _layout.NodesPerPage;
        long expected = Math.Min(_layout.Fill, nodes - first);
        if (Count != expected && !hasHoles)
            return $"expected {expected} slots in use, found {Count}";
        long before = -1;
        for (int replica = 0; replica < ReplicaCount; replica++)
        {
            long id = ReplicaId(replica);
            if (id >= nodes || id <= before || (id >= first && id < first + _layout.NodesPerPage))
                return $"expected replicas of nodes of other pages, ascending and below {nodes}, found one of {id} in place {replica}";
            before = id;
        }

        return null;
    }

    /// <summary>Describes the defect of a page whose checksum is right; null if it has none. Readers check the lists.</summary>
    public string? FindDefect()
    {
        if (Count > _layout.NodesPerPage)
            return $"expected at most {_layout.NodesPerPage} slots in use, found {Count}";
        if (ReplicaCount > _layout.ReplicasPerPage)
            return $"expected at most {_layout.ReplicasPerPage} replicas, found {ReplicaCount}";
        for (int slot = 0; slot < Count; slot++)
        {
            if (LinkCount(slot) > _layout.MaxListLength)
                return $"expected at most {_layout.MaxListLength} links in slot {slot}, found {LinkCount(slot)}";
            if (StateByte(slot) > (byte)NodeState.Tombstone)
                return $"expected a known state in slot {slot}, found {StateByte(slot)}";
            if (_layout.IsMerged && (ListEnd(slot) > _layout.LinkBytes || (slot > 0 && ListEnd(slot) < ListEnd(slot - 1))))
                return $"expected the list of slot {slot} to end within {_layout.LinkBytes} bytes and behind the one before, found "
                    + $"{ListEnd(slot)}";
        }

        return null;
    }

    /// <summary>Writes a live node into an unsealed page of the plain layout.</summary>
    public static void WriteSlot(
        Span<byte> page, NodeLayout layout, int slot, ulong key, ReadOnlySpan<byte> vector, ReadOnlySpan<uint> links)
    {
        Debug.Assert(links.Length <= layout.MaxListLength, "the links fit");
        WriteVector(page, layout, slot, key, vector);
        BinaryPrimitives.WriteUInt16LittleEndian(page[(layout.LinkCountOffset + slot * layout.LinkCountStride)..], (ushort)links.Length);
        MemoryMarshal.AsBytes(links).CopyTo(page[(layout.LinksOffset + slot * layout.SlotBytes)..]);
    }

    /// <summary>Writes the vector of a live node, or from slot <see cref="NodeLayout.NodesPerPage"/> on of a replica.</summary>
    public static void WriteVector(Span<byte> page, NodeLayout layout, int slot, ulong key, ReadOnlySpan<byte> vector)
    {
        Debug.Assert(vector.Length == layout.VectorBytes, "the vector has the layout's size");
        BinaryPrimitives.WriteUInt64LittleEndian(page[(layout.KeyOffset + slot * layout.KeyStride)..], key);
        page[layout.StateOffset + slot * layout.StateStride] = (byte)NodeState.Live;
        vector.CopyTo(page[(layout.VectorOffset + slot * layout.VectorStride)..]);
    }

    /// <summary>Writes the number and the internal ids of the replicas into a page of the merged layout.</summary>
    public static void WriteReplicaIds(Span<byte> page, NodeLayout layout, ReadOnlySpan<uint> ids)
    {
        BinaryPrimitives.WriteUInt16LittleEndian(page[PageCodec.HeaderSize..], (ushort)ids.Length);
        MemoryMarshal.AsBytes(ids).CopyTo(page[layout.ReplicaIdsOffset..]);
    }

    /// <summary>Notes the version of the slot of which a written replica repeats the node: 0 to 63.</summary>
    public static void WriteVersion(Span<byte> page, NodeLayout layout, int slot, int version) =>
        page[layout.StateOffset + slot * layout.StateStride] |= (byte)(version << StateBits);

    /// <summary>Writes the ascending list of a node into a page of the merged layout, after the lists of the slots before it.</summary>
    public static void WriteList(Span<byte> page, NodeLayout layout, int slot, ReadOnlySpan<uint> ids)
    {
        int from = slot == 0 ? 0 : BinaryPrimitives.ReadUInt16LittleEndian(page[(layout.ListEndsOffset + (slot - 1) * sizeof(ushort))..]);
        int end = from + layout.LinkCode.Encode(ids, page.Slice(layout.LinksOffset + from, layout.LinkBytes - from));
        BinaryPrimitives.WriteUInt16LittleEndian(page[(layout.LinkCountOffset + slot * layout.LinkCountStride)..], (ushort)ids.Length);
        BinaryPrimitives.WriteUInt16LittleEndian(page[(layout.ListEndsOffset + slot * sizeof(ushort))..], (ushort)end);
    }

    private byte StateByte(int slot) => _page[_layout.StateOffset + (nint)slot * _layout.StateStride];

    private int ListEnd(int slot) => *(ushort*)(_page + _layout.ListEndsOffset + (nint)slot * sizeof(ushort));
}
