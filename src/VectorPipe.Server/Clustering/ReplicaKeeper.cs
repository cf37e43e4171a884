using System.Collections.Concurrent;
using System.Diagnostics;
using Microsoft.Extensions.Logging;
using VectorPipe.Cluster.Catalogue;
using VectorPipe.Cluster.Links;
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

    private static readonly TimeSpan _betweenReports = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan _betweenTries = TimeSpan.FromSeconds(5);

    // A copy that has failed half-way fails again, as a rule.
    private static readonly TimeSpan _betweenCopies = TimeSpan.FromMinutes(1);

    private readonly ConcurrentDictionary<long, LocalReplica> _replicas = new();

    // By shard: how long replicas that failed are left alone, places of those that the log does not lead on from, copies on their way, and
    // what the catalogue knows of replicas on the disk.
    private readonly ConcurrentDictionary<long, (long FailedAt, TimeSpan Pause)> _failed = new();
    private readonly ConcurrentDictionary<long, LogPlace> _off = new();
    private readonly ConcurrentDictionary<long, (CancellationTokenSource Stop, Task Running)> _fetches = new();
    private readonly Dictionary<long, long> _reported = [];

    // The last position at which the replicas of a shard were compared.
    private readonly Dictionary<long, long> _compared = [];

    // Sets that are being removed.
    private readonly List<Task> _removals = [];
    private readonly SemaphoreSlim _one = new(1, 1);
    private readonly CancellationTokenSource _stop = new();
    private readonly Membership _membership;
    private readonly ICatalogue _catalogue;
    private readonly IShardLog _log;
    private readonly SetStore _sets;
    private readonly ReplicaFetch _fetch;
    private readonly ILogger _logger;
    private readonly TimeProvider _clock;
    private readonly Task _running;
    private long _reportedAt;

    public ReplicaKeeper(
        Membership membership, ICatalogue catalogue, IShardLog log, SetStore sets, ReplicaFetch fetch, ILogger logger, TimeProvider clock)
    {
        _membership = membership;
        _catalogue = catalogue;
        _log = log;
        _sets = sets;
        _fetch = fetch;
        _logger = logger;
        _clock = clock;
        _running = RunAsync();
    }

    /// <summary>All replicas of this node.</summary>
    public ICollection<LocalReplica> All => _replicas.Values;

    /// <summary>The replica of a shard on this node; null if there is none, or none yet.</summary>
    public LocalReplica? Find(long shard) => _replicas.GetValueOrDefault(shard);

    /// <summary>The place of a replica that the log does not lead on from; null if there is none.</summary>
    public LogPlace? FindOff(long shard) => _off.TryGetValue(shard, out LogPlace place) ? place : null;

    /// <summary>Makes and removes replicas until they are those of the map. One that cannot be made is left out for a while.</summary>
    public async Task ApplyMapAsync(CancellationToken cancellationToken)
    {
        await _one.WaitAsync(cancellationToken);
        try
        {
            var wanted = _membership.Map.ShardsOf(_membership.Self.Id).ToDictionary(one => one.Shard.Id);
            foreach (long shard in _replicas.Keys)
            {
                if (!wanted.ContainsKey(shard))
                    await DropAsync(shard);
            }

            foreach ((long shard, (CancellationTokenSource stop, _)) in _fetches)
            {
                if (!wanted.ContainsKey(shard))
                    await stop.CancelAsync();
            }

            HashSet<string> names = [.. wanted.Values.Select(one => SetSettings.LocalNameOf(one.Set.Name, one.Shard.Id))];
            foreach (string name in _sets.Names.Where(name => !names.Contains(name)))
                _removals.Add(RemoveAsync(name));
            _removals.RemoveAll(removal => removal.IsCompleted);
            foreach ((ClusterSet set, ClusterShard shard, _) in wanted.Values)
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
        await Task.WhenAll(_fetches.Values.Select(fetch => fetch.Running));
        await Task.WhenAll(_removals);
        _stop.Dispose();
        _one.Dispose();
    }

    // It has failed a moment ago, or is on its way from another node.
    private bool IsLeftOut(long shard) =>
        (_failed.TryGetValue(shard, out var failed) && _clock.GetElapsedTime(failed.FailedAt) < failed.Pause)
        || (_fetches.TryGetValue(shard, out var fetch) && !fetch.Running.IsCompleted);

    private void LeaveOut(long shard, TimeSpan pause) => _failed[shard] = (_clock.GetTimestamp(), pause);

    private async Task TryOpenAsync(ClusterSet set, ClusterShard shard, CancellationToken cancellationToken)
    {
        try
        {
            // It may be read as soon as it has what is there now.
            if (!(await _log.HeadsAsync([shard.Id], cancellationToken)).TryGetValue(shard.Id, out LogHead head))
                return;
            SetSettings settings = SetSettings.FromJson(set.Settings.Span) with { Shard = shard.Id };
            if (!_sets.Contains(settings.LocalName) && head.Floor > 0)
            {
                BeginFetch(settings, shard);
                return;
            }

            LocalReplica replica = await OpenAsync(settings, shard, cancellationToken);
            if (FindFault(replica.Follower.Saved, head.End) is { } reason)
            {
                await SetOffAsync(settings, shard, replica, reason);
                return;
            }

            _replicas[shard.Id] = replica;
            _failed.TryRemove(shard.Id, out _);
            _off.TryRemove(shard.Id, out _);
            replica.Hear(head.End.Position);
        }
        catch (LogUnavailableException)
        {
            // The next look hears of it.
        }
        catch (Exception e) when (!cancellationToken.IsCancellationRequested)
        {
            LeaveOut(shard.Id, _betweenTries);
            ClusteringLog.ReplicaNotMade(_logger, e, set.Name);
        }
    }

    // Its beginning is not in the log any more: it comes from another node. What is here stays until all of it is there.
    private void BeginFetch(SetSettings settings, ClusterShard shard)
    {
        Debug.Assert(_one.CurrentCount == 0, "the caller is alone");
        var stop = CancellationTokenSource.CreateLinkedTokenSource(_stop.Token);
        _fetches[shard.Id] = (stop, FetchAsync(settings, shard, stop.Token));
    }

    private async Task FetchAsync(SetSettings settings, ClusterShard shard, CancellationToken cancellationToken)
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        ClusterNode[] sources =
        [
            .. from id in shard.Nodes
               where id != _membership.Self.Id
               let node = _membership.Map.FindNode(id)
               where node is not null
               orderby _membership.Alive.Contains(id) descending
               select node,
        ];
        try
        {
            await _sets.ReceiveAsync(
                uid => settings with { Uid = uid }, folder => _fetch.RunAsync(shard.Id, sources, folder, cancellationToken),
                cancellationToken);
            ClusteringLog.ReplicaFetched(_logger, shard.Id);
        }
        catch (OperationCanceledException)
        {
            // Nobody wants it any more.
        }
        catch (ReplicasOffException e) when (IsFurthest(shard.Id, e.Positions))
        {
            await TryAdoptAsync(settings, shard.Id, cancellationToken);
        }
        catch (Exception e) when (e is NodeUnreachableException or ReplicasOffException)
        {
            LeaveOut(shard.Id, _betweenTries);
            ClusteringLog.ReplicaNotFetched(_logger, shard.Id, e.Message);
        }
        catch (Exception e)
        {
            LeaveOut(shard.Id, _betweenCopies);
            ClusteringLog.ReplicaNotMade(_logger, e, settings.Name);
        }
    }

    private bool IsFurthest(long shard, IReadOnlyList<(Guid Node, long Position)> others) =>
        _off.TryGetValue(shard, out LogPlace place)
        && others.All(other => (place.Position, _membership.Self.Id).CompareTo((other.Position, other.Node)) > 0);

    // All replicas were applied from a log that is lost. This one has most of it: the log goes on behind it.
    private async Task TryAdoptAsync(SetSettings settings, long shard, CancellationToken cancellationToken)
    {
        try
        {
            using HeldSet? held = _sets.Find(settings.LocalName);
            var heads = await _log.HeadsAsync([shard], cancellationToken);
            if (held is null || !heads.TryGetValue(shard, out LogHead head)
                || await _log.AdoptAsync(shard, head.End, _off[shard], cancellationToken) is not { } place)
            {
                return;
            }

            ShardStore.Write(held.Value.Set.Folder, place);
            ClusteringLog.LogIsBehind(_logger, shard, place.Position);
        }
        catch (Exception e) when (e is LogUnavailableException or IOException or UnauthorizedAccessException)
        {
            LeaveOut(shard, _betweenTries);
            ClusteringLog.ReplicaNotFetched(_logger, shard, e.Message);
        }
        catch (OperationCanceledException)
        {
            // Nobody wants it any more.
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

    private async Task<LocalReplica> OpenAsync(SetSettings settings, ClusterShard shard, CancellationToken cancellationToken)
    {
        HeldSet held = await _sets.FindOrMakeAsync(settings.LocalName, uid => settings with { Uid = uid }, cancellationToken);
        try
        {
            var store = new ShardStore(held.Set, _logger);
            bool isNew = store.Saved.Position == 0 && held.Set.Collection.Count == 0;
            return new LocalReplica(held, store, new ShardFollower(_log, shard.Id, store, _logger, _clock), isNew);
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
            catch (Exception e) when (e is LogUnavailableException or ClusterException)
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
        var before = _replicas.ToDictionary(one => one.Key, one => (one.Value.Follower.End, one.Value.Follower.Saved));
        if (before.Count == 0)
            return;
        foreach ((long shard, LogHead head) in await _log.HeadsAsync(before.Keys, _stop.Token))
        {
            (LogPlace end, LogPlace saved) = before[shard];
            if (Find(shard) is not { } replica)
                continue;
            if (replica.Follower.Failure is { } failure)
                await ReplaceAsync(shard, failure.IsOffLog ? failure.Message : null);
            else if (head.End.Position < saved.Position && replica.Follower.HasPassed(head.End))
                await AdoptAsync(shard, head.End, saved);
            else if ((FindFault(saved, head.End) ?? FindFault(end, head.End, mayBeFurther: true)) is { } reason)
                await ReplaceAsync(shard, reason);
            else
                replica.Hear(head.End.Position);
        }

        await FinishAsync();
        await ReportAsync();
    }

    // The database was set back, as when one that is a little behind takes the place of one that is lost. What was acknowledged is here:
    // the log goes on behind it, and replicas that have less get it from this one.
    private async Task AdoptAsync(long shard, LogPlace end, LogPlace saved)
    {
        if (await _log.AdoptAsync(shard, end, saved, _stop.Token) is not null)
            ClusteringLog.LogIsBehind(_logger, shard, saved.Position);
    }

    // Says of replicas that were joining that they have what the others have.
    private async Task FinishAsync()
    {
        foreach ((_, ClusterShard shard, bool isJoining) in _membership.Map.ShardsOf(_membership.Self.Id))
        {
            if (isJoining && Find(shard.Id) is { IsServing: true, IsNear: true } replica)
            {
                await _catalogue.FinishReplicaAsync(shard.Id, _membership.Self.Id, replica.Follower.Saved.Position, _stop.Token);
                await _membership.RefreshAsync(_stop.Token);
            }
        }
    }

    // Up to which positions replicas are on the disk: the log need not keep those for them.
    private async Task ReportAsync()
    {
        if (_clock.GetElapsedTime(_reportedAt) < _betweenReports)
            return;
        _reportedAt = _clock.GetTimestamp();
        await CompareAsync();
        var changed = _replicas.Select(one => (Shard: one.Key, Saved: one.Value.Follower.Saved.Position))
            .Where(one => _reported.GetValueOrDefault(one.Shard) != one.Saved).ToDictionary(one => one.Shard, one => one.Saved);
        if (changed.Count == 0)
            return;
        await _catalogue.ReportAsync(_membership.Self.Id, changed, _stop.Token);
        foreach ((long shard, long saved) in changed)
            _reported[shard] = saved;
    }

    // Replicas that hold something else than most others of their shard become a copy of one of those.
    private async Task CompareAsync()
    {
        foreach ((ClusterSet set, ClusterShard shard, _) in _membership.Map.ShardsOf(_membership.Self.Id))
        {
            if (Find(shard.Id)?.Digest is not { } own || _compared.GetValueOrDefault(shard.Id) >= own.Position)
                continue;
            await _catalogue.PublishDigestAsync(shard.Id, _membership.Self.Id, own, _stop.Token);
            IReadOnlyDictionary<Guid, ReplicaDigest> all = await _catalogue.ReadDigestsAsync(shard.Id, _stop.Token);
            if (!shard.Nodes.All(node => all.TryGetValue(node, out ReplicaDigest digest) && digest.Position >= own.Position))
                continue;
            _compared[shard.Id] = own.Position;
            Guid[] same = [.. shard.Nodes.Where(node => all[node] == own)];
            Guid[] others = [.. shard.Nodes.Where(node => all[node].Position == own.Position && all[node].Value != own.Value)];
            if (others.Length > 0)
                ClusteringLog.ReplicasDiffer(_logger, set.Name, shard.Id, own.Position, same.Length, others.Length);
            if (others.Length > same.Length)
                await ReplaceAsync(shard.Id, $"at position {own.Position} it holds something else than most others");
        }
    }

    // A replica that has ended is tried again after a pause. One that cannot go on from what it has comes from another node.
    private async Task ReplaceAsync(long shard, string? reason)
    {
        await _one.WaitAsync(_stop.Token);
        try
        {
            if (IsLeftOut(shard) || !_replicas.TryRemove(shard, out LocalReplica? ended))
                return;
            var wanted = _membership.Map.ShardsOf(_membership.Self.Id).FirstOrDefault(one => one.Shard.Id == shard);
            if (reason is null || wanted.Set is null)
            {
                await ended.DisposeAsync();
                LeaveOut(shard, _betweenTries);
                return;
            }

            await SetOffAsync(SetSettings.FromJson(wanted.Set.Settings.Span) with { Shard = shard }, wanted.Shard, ended, reason);
        }
        finally
        {
            _one.Release();
        }
    }

    private async Task SetOffAsync(SetSettings settings, ClusterShard shard, LocalReplica replica, string reason)
    {
        ClusteringLog.ReplicaIsOff(_logger, shard.Id, reason);
        await replica.DisposeAsync();
        _off[shard.Id] = replica.Follower.Saved;
        BeginFetch(settings, shard);
    }

    // Why a replica at a place is not one of a log with an end.
    private static string? FindFault(LogPlace place, LogPlace end, bool mayBeFurther = false)
    {
        if (end.Position == place.Position && end.Chain != place.Chain)
            return $"up to position {place.Position} the log has had other records";
        return end.Position < place.Position && !mayBeFurther ? $"the log ends at {end.Position}, before position {place.Position}" : null;
    }
}
