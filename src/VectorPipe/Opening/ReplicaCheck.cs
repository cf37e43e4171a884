using VectorPipe.Numerics.Conversion;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Opening;

/// <summary>Compares the replicas in node pages with the vectors of their nodes.</summary>
/// <param name="nodes">The node file; owned from here on.</param>
/// <param name="layout">The layout of a node page.</param>
internal sealed unsafe class ReplicaCheck(PageFileReader nodes, NodeLayout layout) : IPageComparison
{
    public string? FindDefect(NodePage page, long number)
    {
        for (int replica = 0; replica < page.ReplicaCount; replica++)
        {
            long id = page.ReplicaId(replica);
            int slot = layout.NodesPerPage + replica;
            fixed (byte* bytes = nodes.ReadPage((id / layout.NodesPerPage) + 1, layout.PageKind))
            {
                var owner = new NodePage(bytes, layout);
                ReadOnlySpan<byte> own = owner.Vector((int)(id % layout.NodesPerPage));
                int at = page.Vector(slot).CommonPrefixLength(own);
                if (at < own.Length)
                    return $"expected in slot {slot} the vector of node {id}, as its own page holds it, found another component "
                        + $"{at / layout.ElementType.SizeInBytes()}";
            }
        }

        return null;
    }

    public void Dispose() => nodes.Dispose();
}
