using System.Buffers.Binary;
using System.Diagnostics;
using System.Runtime.InteropServices;

namespace VectorPipe.Storage;

/// <summary>The nodes of one verified page in the plain layout: what a page offers to a search.</summary>
/// <remarks>A view: valid as long as the bytes are. Reads only; the page is little-endian, as is every machine that .NET runs on.</remarks>
internal readonly unsafe ref struct NodePage
{
    private readonly byte* _page;
    private readonly NodeLayout _layout;

    /// <param name="page">First byte of the page.</param>
    /// <param name="layout">The layout that wrote it.</param>
    public NodePage(byte* page, NodeLayout layout)
    {
        _page = page;
        _layout = layout;
    }

    /// <summary>Slots in use; they come first.</summary>
    public int Count => BinaryPrimitives.ReadUInt16LittleEndian(new ReadOnlySpan<byte>(_page + 6, 2));

    /// <summary>The first vector's first byte; the next vector lies <see cref="NodeLayout.SlotBytes"/> further on.</summary>
    public byte* FirstVector => _page + PageCodec.HeaderSize + NodeLayout.VectorOffset;

    /// <summary>The caller's identity of the node.</summary>
    public ulong Key(int slot) => *(ulong*)Slot(slot);

    /// <summary>Whether the slot is free, live or deleted.</summary>
    public NodeState State(int slot) => (NodeState)Slot(slot)[10];

    /// <summary>Links in use.</summary>
    public int Degree(int slot) => *(ushort*)(Slot(slot) + 8);

    /// <summary>The stored vector.</summary>
    public ReadOnlySpan<byte> Vector(int slot) => new(Slot(slot) + NodeLayout.VectorOffset, _layout.VectorBytes);

    /// <summary>Internal ids to go on to.</summary>
    public ReadOnlySpan<uint> Links(int slot) => new(Slot(slot) + _layout.LinksOffset, Degree(slot));

    /// <summary>Tells what is wrong with the content of a page whose checksum is right; null if nothing is.</summary>
    public string? FindDefect()
    {
        if (Count > _layout.NodesPerPage)
            return $"expected at most {_layout.NodesPerPage} slots in use, found {Count}";
        for (int slot = 0; slot < Count; slot++)
        {
            if (Degree(slot) > _layout.MaxDegree)
                return $"expected at most {_layout.MaxDegree} links in slot {slot}, found {Degree(slot)}";
            if (State(slot) > NodeState.Tombstone)
                return $"expected a known state in slot {slot}, found {(byte)State(slot)}";
        }

        return null;
    }

    /// <summary>Writes a live node into a page that is being put together.</summary>
    public static void WriteSlot(Span<byte> page, NodeLayout layout, int slot, ulong key, ReadOnlySpan<byte> vector, ReadOnlySpan<uint> links)
    {
        Debug.Assert(vector.Length == layout.VectorBytes, "the vector has the layout's size");
        Debug.Assert(links.Length <= layout.MaxDegree, "the links fit");
        Span<byte> bytes = page.Slice(layout.SlotOffset(slot), layout.SlotBytes);
        BinaryPrimitives.WriteUInt64LittleEndian(bytes, key);
        BinaryPrimitives.WriteUInt16LittleEndian(bytes[8..], (ushort)links.Length);
        bytes[10] = (byte)NodeState.Live;
        vector.CopyTo(bytes[NodeLayout.VectorOffset..]);
        MemoryMarshal.AsBytes(links).CopyTo(bytes[layout.LinksOffset..]);
    }

    private byte* Slot(int slot)
    {
        Debug.Assert((uint)slot < (uint)_layout.NodesPerPage, "the slot lies in the page");
        return _page + PageCodec.HeaderSize + (nint)slot * _layout.SlotBytes;
    }
}
