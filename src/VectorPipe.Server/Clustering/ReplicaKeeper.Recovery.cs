using System.Diagnostics;
using VectorPipe.Cluster.Catalogue;
using VectorPipe.Cluster.Links;
using VectorPipe.Cluster.Log;
using VectorPipe.Cluster.Replicas;
using VectorPipe.Server.Sets;

namespace VectorPipe.Server.Clustering;

/// <content>Replicas that go, that cannot go on from what they have, and that come from other nodes.</content>
internal sealed partial class ReplicaKeeper
{
    private static readonly TimeSpan _longestComparison = TimeSpan.FromMinutes(10);

    // Why a replica at a place is not one of a log with an end.
    private static string? FindFault(LogPlace place, LogPlace end)
    {
        if (end.Position < place.Position)
            return $"the log ends at {end.Position}, before position {place.Position}";
        return end.Position == place.Position && end.Chain != place.Chain
            ? $"up to position {place.Position} the log has had other records"
            : null;
    }

    // Only what the catalogue says is to go: one that was set back may not know of replicas that are here, and they may be the last ones.
    private async Task RemoveUnwantedAsync(HashSet<string> wanted, CancellationToken cancellationToken)
    {
        _removals.RemoveAll(removal => removal.IsCompleted);
        _strangers.ExceptWith(wanted);
        string[] unwanted = [.. _sets.Names.Where(name => !wanted.Contains(name))];
        _isRemovalDue = unwanted.Length > 0 && !unwanted.All(_strangers.Contains);
        if (!_isRemovalDue)
            return;
        try
        {
            IReadOnlySet<long> removals = await _catalogue.ReadRemovalsAsync(_membership.Self.Id, cancellationToken);
            foreach (string name in unwanted)
            {
                using HeldSet? held = _sets.Find(name);
                if (held is not { } found)
                    continue;
                long shard = found.Set.Settings.Shard;
                if (removals.Contains(shard))
                    _removals.Add(RemoveAsync(name, shard));
                else if (_strangers.Add(name))
                    ClusteringLog.ReplicaIsUnknown(_logger, name, found.Set.Folder);
            }

            _isRemovalDue = false;
        }
        catch (ClusterException)
        {
            // The next look tries again.
        }
    }

    // Its name is free at once; a search that still runs holds its files.
    private async Task RemoveAsync(string name, long shard)
    {
        try
        {
            await _sets.RemoveAsync(name);
            await _catalogue.FinishRemovalsAsync(_membership.Self.Id, [shard], CancellationToken.None);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or VectorPipeException)
        {
            ClusteringLog.ReplicaNotMade(_logger, e, name);
        }
        catch (ClusterException)
        {
            // It stays noted, and nothing of it is here.
        }
    }

    // A replica that has ended is tried again after a pause. One that cannot go on from what it has comes from another node.
    private async Task ReplaceAsync(long shard, string? reason)
    {
        await _one.WaitAsync(_stop.Token);
        try
        {
            if (IsPaused(shard) || !_replicas.TryRemove(shard, out LocalReplica? ended))
                return;
            var wanted = _membership.Map.ShardsOf(_membership.Self.Id).FirstOrDefault(one => one.Shard.Id == shard);
            if (reason is null || wanted.Set is null)
            {
                await ended.DisposeAsync();
                LeaveOut(shard, _betweenTries);
                return;
            }

            SetSettings settings = SetSettings.FromJson(wanted.Set.Settings.Span) with { Shard = shard };
            await SetOffAsync(settings, wanted.Shard, ended, reason);
        }
        finally
        {
            _one.Release();
        }
    }

    private async Task SetOffAsync(SetSettings settings, ClusterShard shard, LocalReplica replica, string reason)
    {
        Debug.Assert(_one.CurrentCount == 0, "the caller is alone");
        ClusteringLog.ReplicaIsOff(_logger, shard.Id, reason);
        await replica.DisposeAsync();
        _off[shard.Id] = replica.Follower.Saved;
        try
        {
            // What it has does not count as a copy of the log's.
            await _catalogue.ReportAsync(_membership.Self.Id, new Dictionary<long, long> { [shard.Id] = 0 }, _stop.Token);
            _reported[shard.Id] = 0;
        }
        catch (ClusterException)
        {
            // The log keeps what it has while the catalogue is away.
        }

        BeginFetch(settings, shard);
    }

    // What is here stays until all of the other is there.
    private void BeginFetch(SetSettings settings, ClusterShard shard)
    {
        _untouched.Remove(shard.Id);
        var stop = CancellationTokenSource.CreateLinkedTokenSource(_stop.Token);
        if (_fetches.TryGetValue(shard.Id, out var before))
            before.Stop.Dispose();
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
               select node,
        ];
        Random.Shared.Shuffle(sources);
        try
        {
            await _sets.ReceiveAsync(
                uid => settings with { Uid = uid },
                folder => _fetch.RunAsync(
                    shard.Id, [.. sources.OrderByDescending(node => _membership.Behind.ContainsKey(node.Id))], folder, cancellationToken),
                cancellationToken);
            ClusteringLog.ReplicaFetched(_logger, shard.Id);

            // It may have been taken away meanwhile.
            _isRemovalDue = true;
        }
        catch (OperationCanceledException)
        {
            // Nobody wants it any more.
        }
        catch (ReplicasOffException e)
        {
            if (!IsFurthest(shard.Id, e.Positions) || !await TryAdoptAsync(settings, shard.Id, cancellationToken))
                LeaveOut(shard.Id, _betweenTries);
        }
        catch (NodeUnreachableException e)
        {
            LeaveOut(shard.Id, _betweenTries);
            ClusteringLog.ReplicaNotFetched(_logger, shard.Id, e.Message);
        }
        catch (Exception e)
        {
            LeaveOut(shard.Id, _betweenCopies);
            ClusteringLog.ReplicaNotMade(_logger, e, settings.Name);
            await GiveUpAsync(shard.Id);
        }
    }

    // Others may be able to hold it, and other replicas that are to be made wait for this one.
    private async Task GiveUpAsync(long shard)
    {
        try
        {
            await _catalogue.GiveUpReplicaAsync(shard, _membership.Self.Id, _stop.Token);
        }
        catch (Exception e) when (e is ClusterException or OperationCanceledException)
        {
            // It is tried again here.
        }
    }

    private bool IsFurthest(long shard, IReadOnlyList<(Guid Node, long Position)> others) =>
        _off.TryGetValue(shard, out LogPlace place)
        && others.All(other => (place.Position, _membership.Self.Id).CompareTo((other.Position, other.Node)) > 0);

    // Lets the log go on behind this replica, which is not open.
    private async Task<bool> TryAdoptAsync(SetSettings settings, long shard, CancellationToken cancellationToken)
    {
        try
        {
            using HeldSet? held = _sets.Find(settings.LocalName);
            if (held is null || !_off.TryGetValue(shard, out LogPlace saved)
                || !(await _log.HeadsAsync([shard], cancellationToken)).TryGetValue(shard, out LogHead head)
                || await _log.AdoptAsync(shard, head.End, saved, cancellationToken) is not { } place)
            {
                return false;
            }

            ShardStore.Write(held.Value.Set.Folder, place);
            ClusteringLog.LogIsBehind(_logger, shard, place.Position);
            return true;
        }
        catch (Exception e) when (e is LogUnavailableException or IOException or UnauthorizedAccessException)
        {
            ClusteringLog.ReplicaNotFetched(_logger, shard, e.Message);
            return false;
        }
        catch (OperationCanceledException)
        {
            return false;
        }
    }

    // Of marks before it was opened: whoever waits for what it held there would wait in vain.
    private async Task SayUnknownAsync(long shard, LocalReplica replica)
    {
        if (replica.Unknown == 0 || replica.HasSaidUnknown)
            return;
        await _catalogue.PublishDigestAsync(shard, _membership.Self.Id, ReplicaDigest.Unknown(replica.Unknown), _stop.Token);
        replica.HasSaidUnknown = true;
    }

    // Replicas that hold something else than most others of their shard become a copy of one of those.
    private async Task CompareAsync()
    {
        foreach ((ClusterSet set, ClusterShard shard, _) in _membership.Map.ShardsOf(_membership.Self.Id))
        {
            if (Find(shard.Id) is not { } replica)
                continue;
            await SayUnknownAsync(shard.Id, replica);
            (long position, long since, bool isDone) = _compared.GetValueOrDefault(shard.Id);
            if (replica.Digest is not { } own || (isDone && position == own.Position))
                continue;
            if (position != own.Position)
            {
                await _catalogue.PublishDigestAsync(shard.Id, _membership.Self.Id, own, _stop.Token);
                since = _clock.GetTimestamp();
                _compared[shard.Id] = (own.Position, since, IsDone: false);
            }

            IReadOnlyDictionary<Guid, ReplicaDigest> all = await _catalogue.ReadDigestsAsync(shard.Id, _stop.Token);
            bool isWhole = shard.Nodes.All(node => all.TryGetValue(node, out ReplicaDigest digest) && digest.Position >= own.Position);
            if (!isWhole && _clock.GetElapsedTime(since) < _longestComparison)
                continue;
            long[] others =
            [
                .. shard.Nodes.Where(node => all.TryGetValue(node, out ReplicaDigest digest) && digest.Position == own.Position)
                    .Select(node => all[node].Value).Where(value => value != own.Value),
            ];
            bool isWrong = others.CountBy(value => value).Any(one => one.Value > shard.Nodes.Count / 2);
            if (isWrong)
                Find(shard.Id)?.Condemn();
            _compared[shard.Id] = (own.Position, since, IsDone: true);
            if (others.Length > 0)
                ClusteringLog.ReplicasDiffer(_logger, set.Name, shard.Id, own.Position, others.Length);
            if (isWrong)
                await ReplaceAsync(shard.Id, $"at position {own.Position} it holds something else than most replicas");
        }
    }
}
