using VectorPipe.Devices;
using VectorPipe.Numerics.Conversion;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;
using VectorPipe.Storage.Vectors;

namespace VectorPipe.Opening;

/// <summary>Compares the vectors in node pages, replicas too, with the original vectors.</summary>
/// <param name="manifest">The manifest of the index.</param>
/// <param name="layout">The layout of a node page.</param>
/// <param name="vectors">The file of the original vectors; shared with other checks.</param>
/// <param name="device">The device with that file; shared with other checks.</param>
internal sealed class RoundingCheck(Manifest manifest, NodeLayout layout, PageFileReader vectors, IDevice device) : IPageComparison
{
    private readonly IndexSchema _schema = manifest.Schema;
    private readonly OriginalVectorReader _nodes = new(vectors.Share(), manifest, device, ownsDevice: false);
    private readonly OriginalVectorReader _replicas = new(vectors.Share(), manifest, device: null, ownsDevice: false);
    private readonly byte[] _rounded = new byte[layout.VectorBytes];

    public string? FindDefect(NodePage page, long number)
    {
        for (int slot = 0; slot < page.Count; slot++)
        {
            if (FindDefect(page, slot, number * layout.NodesPerPage + slot, _nodes) is { } defect)
                return defect;
        }

        for (int replica = 0; replica < page.ReplicaCount; replica++)
        {
            if (FindDefect(page, layout.NodesPerPage + replica, page.ReplicaId(replica), _replicas) is { } defect)
                return defect;
        }

        return null;
    }

    public void Dispose()
    {
        _nodes.Dispose();
        _replicas.Dispose();
    }

    private string? FindDefect(NodePage page, int slot, long id, OriginalVectorReader originals)
    {
        VectorConversion.Convert(_schema.ElementType, originals.Read(id, page.Key(slot)), layout.ElementType, _rounded);
        int at = page.Vector(slot).CommonPrefixLength(_rounded);
        return at == _rounded.Length
            ? null
            : $"expected in slot {slot} the vector of node {id}, rounded to {layout.ElementType}, found another component "
                + $"{at / layout.ElementType.SizeInBytes()}";
    }
}
