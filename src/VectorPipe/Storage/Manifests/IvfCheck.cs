using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Storage.Manifests;

/// <summary>Checks pages of an IVF index against the places of its lists and the keys.</summary>
internal sealed class IvfCheck(IvfDirectory lists, NodeLayout layout) : IPageCheck
{
    public string? FindDefect(NodePage page, long number, KeyDirectoryCheck? keys)
    {
        if (page.FindDefect() is { } defect)
            return defect;
        if (number >= lists.Pages)
            return $"expected pages below {lists.Pages}, found page {number}";
        int expected = lists.VectorsOf((uint)number);
        if (page.Count != expected)
            return $"expected {expected} vectors, found {page.Count}";
        for (int slot = 0; slot < page.Count; slot++)
        {
            if (page.State(slot) == NodeState.Free)
                return $"expected a vector in slot {slot}, found none";
            if (keys?.FindDefect((number * layout.NodesPerPage) + slot, page.Key(slot)) is { } mismatch)
                return mismatch;
        }

        return null;
    }

    public string? FindCodeDefect(ReadOnlySpan<byte> page, long number)
    {
        if (number >= lists.CodePages)
            return $"expected pages below {lists.CodePages}, found page {number}";
        int expected = lists.CodesOf((uint)number, out _);
        return PageCodec.Items(page) == expected ? null : $"expected {expected} codes, found {PageCodec.Items(page)}";
    }
}
