using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Storage.Manifests;

/// <summary>What the pages of an index of lists are held against: the places of the lists, and the keys.</summary>
internal sealed class IvfCheck : IPageCheck
{
    private readonly IvfDirectory _lists;
    private readonly NodeLayout _layout;

    /// <param name="lists">Where the lists lie.</param>
    /// <param name="layout">Where things lie in a page of vectors.</param>
    public IvfCheck(IvfDirectory lists, NodeLayout layout)
    {
        _lists = lists;
        _layout = layout;
    }

    /// <inheritdoc/>
    public string? FindDefect(NodePage page, long number, KeyDirectoryCheck? keys)
    {
        if (page.FindDefect() is { } defect)
            return defect;
        if (number >= _lists.Pages)
            return $"expected pages below {_lists.Pages}, found page {number}";
        int expected = _lists.VectorsOf((uint)number);
        if (page.Count != expected)
            return $"expected {expected} vectors, found {page.Count}";
        for (int slot = 0; slot < page.Count; slot++)
        {
            if (page.State(slot) == NodeState.Free)
                return $"expected a vector in slot {slot}, found none";
            if (keys?.FindDefect((number * _layout.NodesPerPage) + slot, page.Key(slot)) is { } mismatch)
                return mismatch;
        }

        return null;
    }

    /// <inheritdoc/>
    public string? FindCodeDefect(ReadOnlySpan<byte> page, long number)
    {
        if (number >= _lists.CodePages)
            return $"expected pages below {_lists.CodePages}, found page {number}";
        int expected = _lists.CodesOf((uint)number, out _);
        return PageCodec.Items(page) == expected ? null : $"expected {expected} codes, found {PageCodec.Items(page)}";
    }
}
