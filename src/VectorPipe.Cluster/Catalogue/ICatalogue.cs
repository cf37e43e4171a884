using VectorPipe.Cluster.Log;
using VectorPipe.Cluster.Replicas;

namespace VectorPipe.Cluster.Catalogue;

/// <summary>What all nodes of a cluster share: nodes with their leases, sets, shards and who holds them. Thread-safe.</summary>
/// <remarks>Times are those of the catalogue alone: clocks of nodes may differ. All members throw <see cref="ClusterException"/> while it
/// cannot be reached; what they were to change then may be changed or not.</remarks>
internal interface ICatalogue
{
    /// <summary>Enters a node, or one that was there before, at another address perhaps.</summary>
    /// <returns>Its epoch: each start of a node has a greater one, and ends those before.</returns>
    /// <exception cref="NodeProtocolException">A node that is alive has another protocol.</exception>
    /// <exception cref="ClusterException">Another node has the name.</exception>
    Task<long> JoinAsync(Guid node, string name, string address, int protocol, TimeSpan lease, CancellationToken cancellationToken);

    /// <summary>Renews the lease of a node.</summary>
    /// <param name="node">The node.</param>
    /// <param name="epoch">Its epoch.</param>
    /// <param name="lease">How long it lasts; zero ends it.</param>
    /// <param name="behind">How many replicas it has and does not answer for yet.</param>
    /// <param name="cancellationToken">Ends it early.</param>
    /// <returns>What else is new; null if the node was started again since.</returns>
    /// <exception cref="NodeProtocolException">The lease had ended, and a node of another protocol has come meanwhile.</exception>
    Task<LeaseState?> RenewAsync(Guid node, long epoch, TimeSpan lease, int behind, CancellationToken cancellationToken);

    /// <summary>Reads the version of the map.</summary>
    Task<long> ReadVersionAsync(CancellationToken cancellationToken);

    /// <summary>Reads all, as of one moment.</summary>
    Task<ClusterMap> ReadAsync(CancellationToken cancellationToken);

    /// <summary>Makes a set.</summary>
    /// <param name="name">Its name: a byte a character.</param>
    /// <param name="settings">What is fixed about it.</param>
    /// <param name="replicas">Nodes that are to hold each of its shards, if there are as many.</param>
    /// <param name="nodesOfShards">The nodes that hold them from the start.</param>
    /// <param name="cancellationToken">Ends it early.</param>
    /// <returns>False if there is one of that name.</returns>
    Task<bool> CreateSetAsync(
        string name, ReadOnlyMemory<byte> settings, int replicas, IReadOnlyList<IReadOnlyList<Guid>> nodesOfShards,
        CancellationToken cancellationToken);

    /// <summary>Lets no shard have a number up to this one any more: a catalogue that was set back would give them again.</summary>
    Task SkipShardsAsync(long last, CancellationToken cancellationToken);

    /// <summary>Removes a set; its log goes with <see cref="IShardLog.CleanAsync"/>.</summary>
    /// <returns>False if there is none.</returns>
    Task<bool> RemoveSetAsync(long set, CancellationToken cancellationToken);

    /// <summary>Adds a replica that is to join, in the place of another one of its shard that has not joined.</summary>
    /// <param name="version">The version of the map by which it was chosen.</param>
    /// <param name="move">The replica.</param>
    /// <param name="cancellationToken">Ends it early.</param>
    /// <returns>The new version; null if the map has changed since, or the shard is gone, and nothing was done.</returns>
    Task<long?> AddReplicaAsync(long version, ReplicaMove move, CancellationToken cancellationToken);

    /// <summary>Says that a replica has joined; the one that it replaces goes.</summary>
    /// <param name="shard">Its shard.</param>
    /// <param name="node">Its node.</param>
    /// <param name="saved">The position up to which it is on the disk.</param>
    /// <param name="cancellationToken">Ends it early.</param>
    /// <returns>False if it was not joining.</returns>
    Task<bool> FinishReplicaAsync(long shard, Guid node, long saved, CancellationToken cancellationToken);

    /// <summary>Says that a replica that was to join cannot; another one is ordered.</summary>
    Task GiveUpReplicaAsync(long shard, Guid node, CancellationToken cancellationToken);

    /// <summary>The shards whose replicas a node is to delete; those of shards that nobody knows are not among them.</summary>
    Task<IReadOnlySet<long>> ReadRemovalsAsync(Guid node, CancellationToken cancellationToken);

    /// <summary>Says that a node has deleted replicas.</summary>
    Task FinishRemovalsAsync(Guid node, IReadOnlyCollection<long> shards, CancellationToken cancellationToken);

    /// <summary>Says up to which positions replicas of a node are on the disk.</summary>
    Task ReportAsync(Guid node, IReadOnlyDictionary<long, long> saved, CancellationToken cancellationToken);

    /// <summary>
    /// Says what a replica of a node holds at a position; what it said before is forgotten. That it is not known up to a position changes
    /// nothing if it was said at that position or a later one.
    /// </summary>
    Task PublishDigestAsync(long shard, Guid node, ReplicaDigest digest, CancellationToken cancellationToken);

    /// <summary>What replicas of a shard have said last, by node.</summary>
    Task<IReadOnlyDictionary<Guid, ReplicaDigest>> ReadDigestsAsync(long shard, CancellationToken cancellationToken);

    /// <summary>A shard whose replicas were not compared for a while; nobody else is told of it until it has passed again.</summary>
    /// <returns>Its number; null if there is none.</returns>
    Task<long?> TakeUncomparedAsync(TimeSpan since, CancellationToken cancellationToken);

    /// <summary>Says whether the replicas of a node are to go to others.</summary>
    /// <returns>False if there is no such node.</returns>
    Task<bool> SetLeavingAsync(string node, bool isLeaving, CancellationToken cancellationToken);

    /// <summary>Removes a node that is away.</summary>
    /// <param name="node">Its name.</param>
    /// <param name="isLost">Whether its replicas are lost, too; otherwise it must hold none.</param>
    /// <param name="cancellationToken">Ends it early.</param>
    /// <returns>False if there is none of that name.</returns>
    Task<bool> ForgetNodeAsync(string node, bool isLost, CancellationToken cancellationToken);
}
