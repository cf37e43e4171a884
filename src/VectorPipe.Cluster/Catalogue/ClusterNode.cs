namespace VectorPipe.Cluster.Catalogue;

/// <summary>A node as the catalogue knows it.</summary>
/// <param name="Id">Its number, which its data folder keeps.</param>
/// <param name="Name">Its name, for people.</param>
/// <param name="Address">Where other nodes reach it: host and port.</param>
/// <param name="IsLeaving">Whether its replicas are to go to other nodes.</param>
/// <param name="Behind">Replicas that it has and does not answer for yet, as it said last.</param>
/// <param name="Away">How long ago its lease had ended when the catalogue was read; zero for a node that is alive.</param>
internal sealed record ClusterNode(Guid Id, string Name, string Address, bool IsLeaving = false, int Behind = 0, TimeSpan Away = default)
{
    /// <summary>Whether its lease ran when the catalogue was read.</summary>
    public bool IsAlive => Away == TimeSpan.Zero;
}
