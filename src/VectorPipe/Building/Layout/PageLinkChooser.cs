using System.Runtime.InteropServices;
using VectorPipe.Storage.Nodes;

namespace VectorPipe.Building.Layout;

/// <summary>Chooses the links of a page, as many as it has room for, and writes them node by node.</summary>
/// <remarks>Not thread-safe.</remarks>
internal sealed class PageLinkChooser
{
    private readonly MergedGraph _graph;
    private readonly List<uint>[] _lists;
    private readonly int[] _bits;

    public PageLinkChooser(MergedGraph graph)
    {
        _graph = graph;
        _lists = new List<uint>[graph.Layout.NodesPerPage];
        for (int i = 0; i < _lists.Length; i++)
            _lists[i] = [];
        _bits = new int[_lists.Length];
    }

    /// <summary>Writes links to the requesters to which the page matters most, except its replicas.</summary>
    /// <param name="nodes">Nodes of the page.</param>
    /// <param name="requesters">The requesters, those that matter most first.</param>
    /// <param name="replicas">Positions of the page's replicas, ascending.</param>
    /// <param name="bytes">Receives the lists.</param>
    public void Write(int nodes, ReadOnlySpan<LinkRequester> requesters, ReadOnlySpan<uint> replicas, Span<byte> bytes)
    {
        NodeLayout layout = _graph.Layout;
        GapCode code = layout.LinkCode;
        foreach (List<uint> list in _lists)
            list.Clear();
        Array.Clear(_bits);
        int total = 0;
        foreach (LinkRequester requester in requesters)
        {
            List<uint> list = _lists[requester.Slot];
            if (list.Count == layout.MaxListLength || replicas.BinarySearch(requester.Node) >= 0)
                continue;
            uint id = _graph.IdAt(requester.Node);
            int at = ~list.BinarySearch(id);
            int bits = _bits[requester.Slot] + AddedBits(code, list, at, id);
            int taken = total - BytesOf(_bits[requester.Slot]) + BytesOf(bits);
            if (taken > layout.LinkBytes)
                break;
            total = taken;
            _bits[requester.Slot] = bits;
            list.Insert(at, id);
        }

        // A node that is inserted into a free slot later finds the end of the list before it.
        int lists = _graph.Shape.HasRoom(_graph.Order.Length) ? _lists.Length : nodes;
        for (int slot = 0; slot < lists; slot++)
            NodePage.WriteList(bytes, layout, slot, CollectionsMarshal.AsSpan(_lists[slot]));
    }

    // A new id divides a gap in two.
    private static int AddedBits(GapCode code, List<uint> list, int at, uint id)
    {
        uint before = at == 0 ? 0 : list[at - 1] + 1;
        int bits = code.BitsOf(id - before + 1);
        if (at < list.Count)
            bits += code.BitsOf(list[at] - id) - code.BitsOf(list[at] - before + 1);
        return bits;
    }

    private static int BytesOf(int bits) => bits + 7 >> 3;
}
