namespace VectorPipe.Cluster.Catalogue;

/// <summary>What a node learns when it renews its lease.</summary>
/// <param name="MapVersion">The version of the map.</param>
/// <param name="Behind">The nodes whose leases run, and how many replicas each has and does not answer for yet.</param>
/// <param name="IsKnown">Whether the node is in the list: a database that was set back may not know it.</param>
internal sealed record LeaseState(long MapVersion, IReadOnlyDictionary<Guid, int> Behind, bool IsKnown = true);
