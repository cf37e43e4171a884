using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;
using VectorPipe.Cluster.Catalogue;
using VectorPipe.Cluster.Log;
using VectorPipe.Cluster.Members;
using VectorPipe.Cluster.Replicas;
using VectorPipe.Server.Sets;

namespace VectorPipe.Server.Clustering;

/// <summary>Keeps the replicas of this node as the map wants them, and tells them what is new in the log.</summary>
/// <remarks>Thread-safe.</remarks>
internal sealed class ReplicaKeeper : IAsyncDisposable
{
    // A replica that nobody asks is at most about so far behind.
    private static readonly TimeSpan _betweenLooks = TimeSpan.FromMilliseconds(100);

    private readonly ConcurrentDictionary<long, LocalReplica> _replicas = new();
    private readonly SemaphoreSlim _one = new(1, 1);
    private readonly CancellationTokenSource _stop = new();
    private readonly Membership _membership;
    private readonly IShardLog _log;
    private readonly SetStore _sets;
    private readonly ILogger _logger;
    private readonly TimeProvider _clock;
    private readonly Task _running;

    public ReplicaKeeper(Membership membership, IShardLog log, SetStore sets, ILogger logger, TimeProvider clock)
    {
        _membership = membership;
        _log = log;
        _sets = sets;
        _logger = logger;
        _clock = clock;
        _running = RunAsync();
    }

    /// <summary>The replica of a shard on this node; null if there is none, or none yet.</summary>
    public LocalReplica? Find(long shard) => _replicas.GetValueOrDefault(shard);

    /// <summary>Makes and removes replicas until they are those of the map.</summary>
    public async Task ApplyMapAsync(CancellationToken cancellationToken)
    {
        await _one.WaitAsync(cancellationToken);
        try
        {
            Dictionary<long, (ClusterSet Set, ClusterShard Shard)> wanted =
                _membership.Map.ShardsOf(_membership.Self.Id).ToDictionary(one => one.Shard.Id);
            foreach ((long shard, LocalReplica replica) in _replicas)
            {
                if (wanted.ContainsKey(shard) || !_replicas.TryRemove(shard, out _))
                    continue;
                await replica.DisposeAsync();
                await _sets.RemoveAsync(replica.Name);
            }

            HashSet<string> names = [.. wanted.Values.Select(one => one.Set.Name)];
            foreach (string name in _sets.Names.Where(name => !names.Contains(name)))
                await _sets.RemoveAsync(name);
            foreach ((ClusterSet set, ClusterShard shard) in wanted.Values)
            {
                if (_replicas.ContainsKey(shard.Id))
                    continue;
                LocalReplica replica = await OpenAsync(set, shard, cancellationToken);
                _replicas[shard.Id] = replica;

                // It may be read as soon as it has what is there now.
                if ((await _log.HeadsAsync([shard.Id], cancellationToken)).TryGetValue(shard.Id, out long head))
                    replica.Hear(head);
            }
        }
        finally
        {
            _one.Release();
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await _running;
        await _one.WaitAsync();
        foreach (LocalReplica replica in _replicas.Values)
            await replica.DisposeAsync();
        _replicas.Clear();
        _stop.Dispose();
        _one.Dispose();
    }

    private async Task<LocalReplica> OpenAsync(ClusterSet set, ClusterShard shard, CancellationToken cancellationToken)
    {
        // Another set had the name before, and was removed while this node was away.
        if (_sets.Find(set.Name) is { } old)
        {
            long former = old.Set.Settings.Shard;
            old.Dispose();
            if (former != shard.Id)
                await _sets.RemoveAsync(set.Name);
        }

        SetSettings settings = SetSettings.FromJson(set.Settings.Span) with { Shard = shard.Id };
        HeldSet held = await _sets.FindOrMakeAsync(set.Name, uid => settings with { Uid = uid }, cancellationToken);
        try
        {
            var store = new ShardStore(held.Set);
            return new LocalReplica(held, new ShardFollower(_log, shard.Id, store, _logger, _clock));
        }
        catch
        {
            held.Dispose();
            throw;
        }
    }

    private async Task RunAsync()
    {
        while (!_stop.IsCancellationRequested)
        {
            try
            {
                HashSet<long> wanted = [.. _membership.Map.ShardsOf(_membership.Self.Id).Select(one => one.Shard.Id)];
                if (!wanted.SetEquals(_replicas.Keys))
                    await ApplyMapAsync(_stop.Token);
                if (!_replicas.IsEmpty)
                {
                    foreach ((long shard, long head) in await _log.HeadsAsync([.. _replicas.Keys], _stop.Token))
                        Find(shard)?.Hear(head);
                }
            }
            catch (OperationCanceledException) when (_stop.IsCancellationRequested)
            {
                return;
            }
            catch (LogUnavailableException)
            {
                // The membership says so once; replicas answer with what they have.
            }
            catch (Exception e) when (e is IOException or VectorPipeException or TooManySetsException or System.Text.Json.JsonException)
            {
                ClusteringLog.ReplicaNotMade(_logger, e);
            }

            await Task.Delay(_betweenLooks, _clock, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }
}
