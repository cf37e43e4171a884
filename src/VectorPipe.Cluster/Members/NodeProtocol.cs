namespace VectorPipe.Cluster.Members;

/// <summary>The version of all that nodes of a cluster share: nodes with the same one work together, whatever their programs.</summary>
/// <remarks>
/// It is another one as soon as any of these is: calls between nodes (XSHARD, XAPPLIED, XCOPY) and their replies, batches of the log,
/// settings of sets, and the files of a collection, which a replica is copied as. The tables have a version of their own, which is one for
/// all nodes anyway. A test holds the versions of which this is one.
/// </remarks>
internal static class NodeProtocol
{
    public const int Version = 1;
}
