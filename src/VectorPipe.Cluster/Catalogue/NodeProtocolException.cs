namespace VectorPipe.Cluster.Catalogue;

/// <summary>Nodes that are alive have another protocol than this one: it must not be in the cluster beside them.</summary>
internal sealed class NodeProtocolException(int own, int found, string node) : ClusterException(
    $"--cluster: expected nodes of protocol {own}, which this program has, found node {node} alive with protocol {found}: programs of "
    + "two protocols do not run side by side")
{
    /// <summary>The protocol of the node that is refused.</summary>
    public int Own { get; } = own;

    /// <summary>The protocol of a node that is alive.</summary>
    public int Found { get; } = found;
}
