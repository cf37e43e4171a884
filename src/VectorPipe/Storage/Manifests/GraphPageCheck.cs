using VectorPipe.Storage.Nodes;

namespace VectorPipe.Storage.Manifests;

/// <summary>Checks pages of a graph against its number of nodes and the keys.</summary>
internal sealed class GraphPageCheck(IndexSchema schema) : IPageCheck
{
    private readonly NodeLayout _layout = schema.CreateLayout();
    private readonly uint _ids = (uint)schema.IdCount;

    public string? FindDefect(NodePage page, long number, KeyDirectoryCheck? keys)
    {
        if ((page.FindDefect() ?? page.FindMisplaced(number, _ids)) is { } defect)
            return defect;
        Span<uint> links = stackalloc uint[NodeLayout.MaxLinks];
        for (int slot = 0; slot < page.Count; slot++)
        {
            if (keys?.FindDefect((number * _layout.NodesPerPage) + slot, page.Key(slot)) is { } mismatch)
                return mismatch;
            if (!page.TryReadLinks(slot, _ids, links))
                return $"expected a list of {page.LinkCount(slot)} links below {_ids} in slot {slot}, found other bytes or "
                    + "higher links";
            if (schema.Merged is { } merged && FindFree(merged, links[..page.LinkCount(slot)]) is { } free)
                return $"expected links to nodes in slot {slot}, found one to the free slot of id {free}";
        }

        for (int replica = 0; replica < page.ReplicaCount; replica++)
        {
            if (keys?.FindDefect(page.ReplicaId(replica), page.Key(_layout.NodesPerPage + replica)) is { } mismatch)
                return mismatch;
        }

        return null;
    }

    private static uint? FindFree(MergedPageLayout merged, ReadOnlySpan<uint> links)
    {
        foreach (uint link in links)
        {
            if (!merged.IsFilled(link))
                return link;
        }

        return null;
    }

    public string? FindCodeDefect(ReadOnlySpan<byte> page, long number) => null;
}
