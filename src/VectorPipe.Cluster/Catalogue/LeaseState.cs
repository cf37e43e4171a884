namespace VectorPipe.Cluster.Catalogue;

/// <summary>What a node learns when it renews its lease.</summary>
/// <param name="MapVersion">The version of the map.</param>
/// <param name="Alive">The nodes whose leases run.</param>
/// <param name="Behind">How many replicas each of them has and does not answer for yet.</param>
/// <param name="IsKnown">Whether the node is in the list: a database that was set back may not know it.</param>
internal sealed record LeaseState(long MapVersion, IReadOnlySet<Guid> Alive, IReadOnlyDictionary<Guid, int> Behind, bool IsKnown = true);
