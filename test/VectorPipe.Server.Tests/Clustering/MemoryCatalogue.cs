using VectorPipe.Cluster.Catalogue;
using VectorPipe.Cluster.Replicas;

namespace VectorPipe.Server.Tests.Clustering;

/// <summary>A catalogue in memory, whose times are those of a clock.</summary>
internal sealed class MemoryCatalogue(TimeProvider clock) : ICatalogue
{
    private readonly Lock _gate = new();
    private readonly Dictionary<Guid, (string Name, string Address, int Protocol, long Epoch, long Renewed, TimeSpan Lease)> _nodes = [];
    private readonly Dictionary<Guid, int> _behind = [];
    private readonly List<ClusterSet> _sets = [];
    private long _version = 1;
    private long _lastId;

    /// <summary>Whether it cannot be reached.</summary>
    public bool IsDown { get; set; }

    /// <summary>What whoever asks for the version waits for: nothing, unless it is set.</summary>
    public Task Silence { get; set; } = Task.CompletedTask;

    /// <summary>Times that all was read.</summary>
    public int Reads { get; private set; }

    /// <summary>Times that the version was asked for.</summary>
    public int VersionReads { get; private set; }

    public Task<long> JoinAsync(
        Guid node, string name, string address, int protocol, TimeSpan lease, CancellationToken cancellationToken) => Run(() =>
    {
        RequireProtocol(node, protocol);
        long epoch = _nodes.GetValueOrDefault(node).Epoch + 1;
        _nodes[node] = (name, address, protocol, epoch, clock.GetTimestamp(), lease);
        _version++;
        return epoch;
    });

    /// <summary>Loses all nodes, as a database that was set back to before they came.</summary>
    public void SetBack()
    {
        lock (_gate)
        {
            _nodes.Clear();
            _version--;
        }
    }

    public Task<LeaseState?> RenewAsync(
        Guid node, long epoch, TimeSpan lease, int behind, CancellationToken cancellationToken) => Run(() =>
    {
        if (!_nodes.TryGetValue(node, out var found))
            return new LeaseState(_version, BehindOfAlive(), IsKnown: false);
        if (found.Epoch > epoch)
            return null;
        if (!IsAlive(node))
            RequireProtocol(node, found.Protocol);
        _behind[node] = behind;
        _nodes[node] = found with { Renewed = clock.GetTimestamp(), Lease = lease, Epoch = epoch };
        return new LeaseState(_version, BehindOfAlive());
    });

    public async Task<long> ReadVersionAsync(CancellationToken cancellationToken)
    {
        lock (_gate)
            VersionReads++;
        await Silence.WaitAsync(cancellationToken);
        return await Run(() => _version);
    }

    public Task<ClusterMap> ReadAsync(CancellationToken cancellationToken) => Run(() =>
    {
        Reads++;
        return new ClusterMap(
            _version,
            [.. _nodes.Select(node => new ClusterNode(
                node.Key, node.Value.Name, node.Value.Address, IsLeaving: false, _behind.GetValueOrDefault(node.Key),
                IsAlive(node.Key) ? TimeSpan.Zero : clock.GetElapsedTime(node.Value.Renewed) - node.Value.Lease + TimeSpan.FromTicks(1)))],
            [.. _sets]);
    });

    public Task<bool> CreateSetAsync(
        string name, ReadOnlyMemory<byte> settings, int replicas, IReadOnlyList<IReadOnlyList<Guid>> nodesOfShards,
        CancellationToken cancellationToken) =>
        Run(() =>
        {
            if (_sets.Exists(set => set.Name == name))
                return false;
            IReadOnlyList<(int First, int Last)> ranges = ClusterSet.RangesOf(nodesOfShards.Count);
            ClusterShard[] shards = [.. ranges.Select((r, i) => new ClusterShard(
                ++_lastId, r.First, r.Last, [.. nodesOfShards[i].Select(node => new ShardReplica(node))]))];
            _sets.Add(new ClusterSet(++_lastId, name, settings, replicas, shards));
            _version++;
            return true;
        });

    public Task<bool> RemoveSetAsync(long set, CancellationToken cancellationToken) => Run(() =>
    {
        bool isRemoved = _sets.RemoveAll(one => one.Id == set) > 0;
        _version += isRemoved ? 1 : 0;
        return isRemoved;
    });

    public Task<long?> AddReplicaAsync(long version, ReplicaMove move, CancellationToken cancellationToken) =>
        throw new NotSupportedException();

    public Task<bool> FinishReplicaAsync(long shard, Guid node, long saved, CancellationToken cancellationToken) =>
        throw new NotSupportedException();

    public Task SkipShardsAsync(long last, CancellationToken cancellationToken) => throw new NotSupportedException();

    public Task GiveUpReplicaAsync(long shard, Guid node, CancellationToken cancellationToken) => throw new NotSupportedException();

    public Task<IReadOnlySet<long>> ReadRemovalsAsync(Guid node, CancellationToken cancellationToken) => throw new NotSupportedException();

    public Task FinishRemovalsAsync(Guid node, IReadOnlyCollection<long> shards, CancellationToken cancellationToken) =>
        throw new NotSupportedException();

    public Task ReportAsync(Guid node, IReadOnlyDictionary<long, long> saved, CancellationToken cancellationToken) =>
        throw new NotSupportedException();

    public Task PublishDigestAsync(long shard, Guid node, ReplicaDigest digest, CancellationToken cancellationToken) =>
        throw new NotSupportedException();

    public Task<IReadOnlyDictionary<Guid, ReplicaDigest>> ReadDigestsAsync(long shard, CancellationToken cancellationToken) =>
        throw new NotSupportedException();

    public Task<long?> TakeUncomparedAsync(TimeSpan since, CancellationToken cancellationToken) =>
        throw new NotSupportedException();

    public Task<bool> SetLeavingAsync(string node, bool isLeaving, CancellationToken cancellationToken) =>
        throw new NotSupportedException();

    public Task<bool> ForgetNodeAsync(string node, bool isLost, CancellationToken cancellationToken) => throw new NotSupportedException();

    private void RequireProtocol(Guid node, int protocol)
    {
        foreach ((Guid id, var other) in _nodes)
        {
            if (id != node && IsAlive(id) && other.Protocol != protocol)
                throw new NodeProtocolException(protocol, other.Protocol, other.Name);
        }
    }

    private Dictionary<Guid, int> BehindOfAlive() =>
        _nodes.Keys.Where(IsAlive).ToDictionary(node => node, node => _behind.GetValueOrDefault(node));

    private bool IsAlive(Guid node) => clock.GetElapsedTime(_nodes[node].Renewed) < _nodes[node].Lease;

    private Task<T> Run<T>(Func<T> run)
    {
        lock (_gate)
        {
            if (IsDown)
                return Task.FromException<T>(new ClusterException("down"));
            try
            {
                return Task.FromResult(run());
            }
            catch (ClusterException e)
            {
                return Task.FromException<T>(e);
            }
        }
    }
}
