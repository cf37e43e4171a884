namespace VectorPipe.Server.Commands;

/// <summary>A node of the cluster.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Address">Where other nodes reach it: host and port.</param>
/// <param name="IsAlive">Whether its lease runs, as far as is known.</param>
/// <param name="IsSelf">Whether it is this one.</param>
/// <param name="IsLeaving">Whether its replicas go to others.</param>
/// <param name="Shards">Replicas that it has.</param>
/// <param name="Joining">Replicas that it is making.</param>
/// <param name="Behind">Replicas that it has and does not answer for yet, as far as is known; null for a node that is not alive.</param>
internal sealed record NodeState(
    string Name, string Address, bool IsAlive, bool IsSelf, bool IsLeaving, int Shards, int Joining, int? Behind);
