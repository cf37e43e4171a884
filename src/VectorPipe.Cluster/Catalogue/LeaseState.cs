namespace VectorPipe.Cluster.Catalogue;

/// <summary>What a node learns when it renews its lease.</summary>
/// <param name="MapVersion">The version of the map.</param>
/// <param name="Alive">The nodes whose leases run.</param>
internal sealed record LeaseState(long MapVersion, IReadOnlySet<Guid> Alive);
