namespace VectorPipe.Cluster.Catalogue;

/// <summary>A node as the catalogue knows it.</summary>
/// <param name="Id">Its number, which its data folder keeps.</param>
/// <param name="Name">Its name, for people.</param>
/// <param name="Address">Where other nodes reach it: host and port.</param>
/// <param name="IsAlive">Whether its lease ran when the catalogue was read.</param>
internal sealed record ClusterNode(Guid Id, string Name, string Address, bool IsAlive);
