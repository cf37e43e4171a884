namespace VectorPipe.Server.Dashboard.Answers;

/// <summary>A node of the cluster.</summary>
/// <param name="Shards">Replicas that it has.</param>
/// <param name="Joining">Replicas that it is making.</param>
internal sealed record NodeFacts(string Name, string Address, bool IsAlive, bool IsSelf, bool IsLeaving, int Shards, int Joining);
