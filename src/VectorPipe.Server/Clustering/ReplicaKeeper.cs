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

    private static readonly TimeSpan _betweenTries = TimeSpan.FromSeconds(5);

    private readonly ConcurrentDictionary<long, LocalReplica> _replicas = new();

    // When replicas failed, by shard, and sets that are being removed.
    private readonly ConcurrentDictionary<long, long> _failed = new();
    private readonly List<Task> _removals = [];
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

    /// <summary>All replicas of this node.</summary>
    public ICollection<LocalReplica> All => _replicas.Values;

    /// <summary>The replica of a shard on this node; null if there is none, or none yet.</summary>
    public LocalReplica? Find(long shard) => _replicas.GetValueOrDefault(shard);

    /// <summary>Makes and removes replicas until they are those of the map. One that cannot be made is left out for a while.</summary>
    public async Task ApplyMapAsync(CancellationToken cancellationToken)
    {
        await _one.WaitAsync(cancellationToken);
        try
        {
            Dictionary<long, (ClusterSet Set, ClusterShard Shard)> wanted =
                _membership.Map.ShardsOf(_membership.Self.Id).ToDictionary(one => one.Shard.Id);
            foreach (long shard in _replicas.Keys)
            {
                if (!wanted.ContainsKey(shard))
                    await DropAsync(shard);
            }

            HashSet<string> names = [.. wanted.Values.Select(one => SetSettings.LocalNameOf(one.Set.Name, one.Shard.Id))];
            foreach (string name in _sets.Names.Where(name => !names.Contains(name)))
                _removals.Add(RemoveAsync(name));
            _removals.RemoveAll(removal => removal.IsCompleted);
            foreach ((ClusterSet set, ClusterShard shard) in wanted.Values)
            {
                if (!_replicas.ContainsKey(shard.Id) && !IsLeftOut(shard.Id))
                    await TryOpenAsync(set, shard, cancellationToken);
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
        await Task.WhenAll(_removals);
        _stop.Dispose();
        _one.Dispose();
    }

    private bool IsLeftOut(long shard) =>
        _failed.TryGetValue(shard, out long failedAt) && _clock.GetElapsedTime(failedAt) < _betweenTries;

    private async Task TryOpenAsync(ClusterSet set, ClusterShard shard, CancellationToken cancellationToken)
    {
        try
        {
            LocalReplica replica = await OpenAsync(set, shard, cancellationToken);
            _replicas[shard.Id] = replica;
            _failed.TryRemove(shard.Id, out _);

            // It may be read as soon as it has what is there now.
            if ((await _log.HeadsAsync([shard.Id], cancellationToken)).TryGetValue(shard.Id, out long head))
                replica.Hear(head);
        }
        catch (LogUnavailableException)
        {
            // The next look hears of it.
        }
        catch (Exception e) when (!cancellationToken.IsCancellationRequested)
        {
            _failed[shard.Id] = _clock.GetTimestamp();
            ClusteringLog.ReplicaNotMade(_logger, e, set.Name);
        }
    }

    // Ends a replica, and removes what it holds.
    private async Task DropAsync(long shard)
    {
        if (!_replicas.TryRemove(shard, out LocalReplica? replica))
            return;
        await replica.DisposeAsync();
        _removals.Add(RemoveAsync(replica.LocalName));
    }

    // Its name is free at once; a search that still runs holds its files.
    private async Task RemoveAsync(string name)
    {
        try
        {
            await _sets.RemoveAsync(name);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or VectorPipeException)
        {
            ClusteringLog.ReplicaNotMade(_logger, e, name);
        }
    }

    private async Task<LocalReplica> OpenAsync(ClusterSet set, ClusterShard shard, CancellationToken cancellationToken)
    {
        SetSettings settings = SetSettings.FromJson(set.Settings.Span) with { Shard = shard.Id };
        HeldSet held = await _sets.FindOrMakeAsync(settings.LocalName, uid => settings with { Uid = uid }, cancellationToken);
        try
        {
            var store = new ShardStore(held.Set);
            bool isNew = store.Saved == 0 && held.Set.Collection.Count == 0;
            return new LocalReplica(held, new ShardFollower(_log, shard.Id, store, _logger, _clock), isNew);
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
                await LookAsync();
            }
            catch (OperationCanceledException) when (_stop.IsCancellationRequested)
            {
                return;
            }
            catch (LogUnavailableException)
            {
                // The membership says so once; replicas answer with what they have.
            }
            catch (Exception e)
            {
                // Whatever it is, replicas must hear of the log all the same.
                ClusteringLog.LookFailed(_logger, e);
            }

            await Task.Delay(_betweenLooks, _clock, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    private async Task LookAsync()
    {
        HashSet<long> wanted = [.. _membership.Map.ShardsOf(_membership.Self.Id).Select(one => one.Shard.Id)];
        wanted.RemoveWhere(IsLeftOut);
        if (!wanted.SetEquals(_replicas.Keys))
            await ApplyMapAsync(_stop.Token);

        // What was applied before the log was asked, the log must have.
        Dictionary<long, long> applied = _replicas.ToDictionary(one => one.Key, one => one.Value.Follower.Applied);
        if (applied.Count == 0)
            return;
        foreach ((long shard, long head) in await _log.HeadsAsync(applied.Keys, _stop.Token))
        {
            if (Find(shard) is not { } replica)
                continue;
            if (head < applied[shard] || replica.Follower.Failure is not null)
                await ReplaceAsync(shard, isBehind: head < applied[shard]);
            else
                replica.Hear(head);
        }
    }

    // A replica that has ended is tried again after a pause. One that has more than the log, as after the loss of a database whose copy
    // was behind, begins anew: nobody can say what of it is right.
    private async Task ReplaceAsync(long shard, bool isBehind)
    {
        await _one.WaitAsync(_stop.Token);
        try
        {
            if (isBehind)
            {
                ClusteringLog.LogIsBehind(_logger, shard);
                await DropAsync(shard);
            }
            else if (!IsLeftOut(shard) && _replicas.TryRemove(shard, out LocalReplica? ended))
            {
                await ended.DisposeAsync();
                _failed[shard] = _clock.GetTimestamp();
            }
        }
        finally
        {
            _one.Release();
        }
    }
}
