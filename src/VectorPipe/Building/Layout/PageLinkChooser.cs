using VectorPipe.Storage;

namespace VectorPipe.Building.Layout;

/// <summary>Chooses where the links of a page lead, as many as there is room for, and writes them node by node.</summary>
/// <remarks>Not thread-safe.</remarks>
internal sealed class PageLinkChooser
{
    private readonly MergedGraph _graph;
    private readonly List<uint>[] _lists;
    private readonly int[] _bytes;

    public PageLinkChooser(MergedGraph graph)
    {
        _graph = graph;
        _lists = new List<uint>[graph.Layout.NodesPerPage];
        for (int i = 0; i < _lists.Length; i++)
            _lists[i] = [];
        _bytes = new int[_lists.Length];
    }

    /// <summary>Writes the links of a page: to the nodes to which it matters most, other than those that it holds as replicas.</summary>
    /// <param name="page">The page.</param>
    /// <param name="nodes">Its nodes.</param>
    /// <param name="applicants">Nodes that apply to it, those to which it matters most first.</param>
    /// <param name="replicas">Internal ids, ascending.</param>
    /// <param name="bytes">Receives the lists.</param>
    public void Write(int page, int nodes, ReadOnlySpan<PageApplicant> applicants, ReadOnlySpan<uint> replicas, Span<byte> bytes)
    {
        NodeLayout layout = _graph.Layout;
        uint universe = (uint)_graph.Order.Length;
        foreach (List<uint> list in _lists)
            list.Clear();
        Array.Clear(_bytes);
        int total = 0;
        foreach (PageApplicant applicant in applicants)
        {
            if (replicas.BinarySearch(applicant.Node) >= 0)
                continue;
            List<uint> list = _lists[applicant.Slot];
            if (list.Count == layout.MaxListLength)
                continue;

            // What a list takes follows from its length and its highest id alone, so it need not be sorted to know.
            uint highest = list.Count == 0 ? applicant.Node : Math.Max(list[0], applicant.Node);
            int taken = LinkListCode.ByteLength(list.Count + 1, highest, universe);
            if (total - _bytes[applicant.Slot] + taken > layout.LinkBytes)
                break;
            total += taken - _bytes[applicant.Slot];
            _bytes[applicant.Slot] = taken;
            list.Add(applicant.Node);
            if (list[0] != highest)
                (list[0], list[^1]) = (list[^1], list[0]);
        }

        for (int slot = 0; slot < nodes; slot++)
        {
            _lists[slot].Sort();
            NodePage.WriteList(bytes, layout, slot, universe, System.Runtime.InteropServices.CollectionsMarshal.AsSpan(_lists[slot]));
        }
    }
}
