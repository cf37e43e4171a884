using VectorPipe.Storage.Nodes;

namespace VectorPipe.Storage.Manifests;

/// <summary>Checks pages of a graph against its number of nodes and the keys.</summary>
internal sealed class GraphPageCheck(IndexSchema schema) : IPageCheck
{
    private readonly NodeLayout _layout = schema.CreateLayout();

    public string? FindDefect(NodePage page, long number, KeyDirectoryCheck? keys)
    {
        if ((page.FindDefect() ?? page.FindMisplaced(number, schema.Count)) is { } defect)
            return defect;
        Span<uint> links = stackalloc uint[NodeLayout.MaxLinks];
        for (int slot = 0; slot < page.Count; slot++)
        {
            if (keys?.FindDefect((number * _layout.NodesPerPage) + slot, page.Key(slot)) is { } mismatch)
                return mismatch;
            if (!page.TryReadLinks(slot, (uint)schema.Count, links))
                return $"expected a list of {page.LinkCount(slot)} links below {schema.Count} in slot {slot}, found other bytes or "
                    + "higher links";
        }

        for (int replica = 0; replica < page.ReplicaCount; replica++)
        {
            if (keys?.FindDefect(page.ReplicaId(replica), page.Key(_layout.NodesPerPage + replica)) is { } mismatch)
                return mismatch;
        }

        return null;
    }

    public string? FindCodeDefect(ReadOnlySpan<byte> page, long number) => null;
}
