using System.Runtime.InteropServices;
using VectorPipe.Storage.Nodes;

namespace VectorPipe.Building.Layout;

/// <summary>Chooses where the links of a page lead, as many as there is room for, and writes them node by node.</summary>
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

    /// <summary>Writes the links of a page: to the nodes to which it matters most, other than those that it holds as replicas.</summary>
    /// <param name="nodes">Nodes of the page.</param>
    /// <param name="applicants">Nodes that apply to it, those to which it matters most first.</param>
    /// <param name="replicas">Internal ids, ascending.</param>
    /// <param name="bytes">Receives the lists.</param>
    public void Write(int nodes, ReadOnlySpan<LinkRequester> applicants, ReadOnlySpan<uint> replicas, Span<byte> bytes)
    {
        NodeLayout layout = _graph.Layout;
        GapCode code = layout.LinkCode;
        foreach (List<uint> list in _lists)
            list.Clear();
        Array.Clear(_bits);
        int total = 0;
        foreach (LinkRequester applicant in applicants)
        {
            List<uint> list = _lists[applicant.Slot];
            if (list.Count == layout.MaxListLength || replicas.BinarySearch(applicant.Node) >= 0)
                continue;
            int at = ~list.BinarySearch(applicant.Node);
            int bits = _bits[applicant.Slot] + AddedBits(code, list, at, applicant.Node);
            int taken = total - BytesOf(_bits[applicant.Slot]) + BytesOf(bits);
            if (taken > layout.LinkBytes)
                break;
            total = taken;
            _bits[applicant.Slot] = bits;
            list.Insert(at, applicant.Node);
        }

        for (int slot = 0; slot < nodes; slot++)
            NodePage.WriteList(bytes, layout, slot, CollectionsMarshal.AsSpan(_lists[slot]));
    }

    // A new id parts a gap in two.
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
