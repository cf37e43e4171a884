using System.Diagnostics;
using VectorPipe.Cluster.Catalogue;
using VectorPipe.Cluster.Members;
using VectorPipe.Server.Sets;

namespace VectorPipe.Server.Clustering;

/// <summary>Makes the sets that clients write to and that are not there.</summary>
/// <remarks>
/// <para>All who want a set at the same time share one making. Otherwise each of a hundred clients would take a connection, which are as
/// many as the database has by default, for one of them to succeed.</para>
/// <para>Thread-safe.</para>
/// </remarks>
internal sealed class NewSets(ICatalogue catalogue, Membership membership, ReplicaKeeper keeper, ServerOptions options)
{
    private readonly Dictionary<string, Task<ClusterSet?>> _making = [];

    /// <summary>The set of a name, made if it is not there.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="settings">Its settings; another caller's may be taken instead.</param>
    /// <param name="cancellationToken">Ends the waiting, and not the making.</param>
    /// <exception cref="ClusterException">The catalogue cannot be reached.</exception>
    /// <exception cref="TooManySetsException">There are as many as there may be.</exception>
    public async Task<ClusterSet> MakeAsync(string name, SetSettings settings, CancellationToken cancellationToken)
    {
        while (true)
        {
            cancellationToken.ThrowIfCancellationRequested();
            Task<ClusterSet?>? making;
            lock (_making)
            {
                if (!_making.TryGetValue(name, out making))
                    _making.Add(name, making = Task.Run(() => MakeOnceAsync(name, settings), CancellationToken.None));
            }

            // Null if it was removed at once.
            if (await making.WaitAsync(cancellationToken) is { } set)
                return set;
        }
    }

    private async Task<ClusterSet?> MakeOnceAsync(string name, SetSettings settings)
    {
        try
        {
            if (membership.Map.Sets.Count >= options.MaxSets)
                throw new TooManySetsException(options.MaxSets);
            ClusterNode[] alive =
                [.. membership.Map.Nodes.Where(node => membership.Behind.ContainsKey(node.Id) || node.Id == membership.Self.Id)];
            ClusterNode[] staying = [.. alive.Where(node => !node.IsLeaving)];
            IReadOnlyList<IReadOnlyList<Guid>> nodes = Placement.Choose(
                staying.Length > 0 ? staying : alive, name, options.Shards, options.Replicas);
            await catalogue.CreateSetAsync(name, settings.ToJson(), options.Replicas, nodes, CancellationToken.None);
            ClusterMap map = await membership.RefreshAsync(CancellationToken.None);
            await keeper.ApplyMapAsync(CancellationToken.None);
            ClusterSet? made = map.FindSet(name);
            Debug.Assert(made is null || made.Shards.Count > 0, "a set has shards");
            return made;
        }
        finally
        {
            lock (_making)
                _making.Remove(name);
        }
    }
}
