using System.Collections.Concurrent;
using System.Diagnostics;
using Microsoft.Extensions.Logging;
using VectorPipe.Cluster.Catalogue;
using VectorPipe.Cluster.Log;
using VectorPipe.Cluster.Members;
using VectorPipe.Cluster.Replicas;
using VectorPipe.Server.Sets;

namespace VectorPipe.Server.Clustering;

/// <summary>Keeps the replicas of this node as the map wants them, and tells them what is new in the log.</summary>
/// <remarks>Thread-safe.</remarks>
internal sealed partial class ReplicaKeeper : IAsyncDisposable
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
    private readonly ConcurrentDictionary<long, long> _reported = new();

    // By shard: where the log ended before this process applied anything, for sets on the disk that it has not opened as replicas yet.
    private readonly Dictionary<long, long> _untouched;

    // By shard: the last position whose hash was published, since when others are waited for, and whether they were compared.
    private readonly Dictionary<long, (long Position, long Since, bool IsDone)> _compared = [];

    // Sets that are being removed, and those that the catalogue does not know.
    private readonly List<Task> _removals = [];
    private readonly HashSet<string> _strangers = [];
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
    private volatile bool _isRemovalDue;
    private long _appliedVersion = -1;

    /// <summary>Begins.</summary>
    /// <param name="membership">This node.</param>
    /// <param name="catalogue">The catalogue.</param>
    /// <param name="log">The log.</param>
    /// <param name="sets">The sets of this node.</param>
    /// <param name="heads">Ends of the log by shard, read when <paramref name="sets"/> were open and nothing had been applied.</param>
    /// <param name="fetch">Brings replicas of other nodes.</param>
    /// <param name="logger">Hears of replicas.</param>
    /// <param name="clock">The clock.</param>
    public ReplicaKeeper(
        Membership membership, ICatalogue catalogue, IShardLog log, SetStore sets, IReadOnlyDictionary<long, LogHead> heads,
        ReplicaFetch fetch, ILogger logger, TimeProvider clock)
    {
        _untouched = heads.ToDictionary(head => head.Key, head => head.Value.End.Position);
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
            ClusterMap map = _membership.Map;
            var wanted = map.ShardsOf(_membership.Self.Id).ToDictionary(one => one.Shard.Id);
            foreach (long shard in _replicas.Keys)
            {
                if (!wanted.ContainsKey(shard) && _replicas.TryRemove(shard, out LocalReplica? replica))
                    await replica.DisposeAsync();
            }

            foreach ((long shard, (CancellationTokenSource stop, Task running)) in _fetches)
            {
                if (wanted.ContainsKey(shard))
                    continue;
                await stop.CancelAsync();
                if (running.IsCompleted && _fetches.TryRemove(shard, out _))
                    stop.Dispose();
            }

            foreach (long shard in _off.Keys.Where(shard => !wanted.ContainsKey(shard)))
                _off.TryRemove(shard, out _);

            await RemoveUnwantedAsync(
                [.. wanted.Values.Select(one => SetSettings.LocalNameOf(one.Set.Name, one.Shard.Id))], cancellationToken);
            foreach ((ClusterSet set, ClusterShard shard, _) in wanted.Values)
            {
                if (!_replicas.ContainsKey(shard.Id) && !IsPaused(shard.Id))
                    await TryOpenAsync(set, shard, cancellationToken);
            }

            _appliedVersion = map.Version;
        }
        finally
        {
            _one.Release();
        }
    }

    /// <summary>Whether a replica is not to be expected yet: it has failed a moment ago, or is on its way from another node.</summary>
    public bool IsPaused(long shard) =>
        (_failed.TryGetValue(shard, out var failed) && _clock.GetElapsedTime(failed.FailedAt) < failed.Pause)
        || (_fetches.TryGetValue(shard, out var fetch) && !fetch.Running.IsCompleted);

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

            LocalReplica replica = await OpenAsync(settings, shard, head.End.Position, cancellationToken);
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
            // Those who ask for it go to another node meanwhile.
            LeaveOut(shard.Id, _betweenLooks);
        }
        catch (Exception e) when (!cancellationToken.IsCancellationRequested)
        {
            LeaveOut(shard.Id, _betweenTries);
            ClusteringLog.ReplicaNotMade(_logger, e, set.Name);
        }
    }

    private async Task<LocalReplica> OpenAsync(SetSettings settings, ClusterShard shard, long head, CancellationToken cancellationToken)
    {
        Debug.Assert(_one.CurrentCount == 0, "the caller is alone");

        // Who kept the set before applied no more than the log had then.
        long most = _untouched.Remove(shard.Id, out long before) ? before : head;
        HeldSet held = await _sets.FindOrMakeAsync(settings.LocalName, uid => settings with { Uid = uid }, cancellationToken);
        try
        {
            var store = new ShardStore(held.Set, _logger);
            bool isNew = store.Saved.Position == 0 && held.Set.Collection.Count == 0;
            var follower = new ShardFollower(_log, shard.Id, store, _logger, _clock);
            return new LocalReplica(held, store, follower, head, isNew ? 0 : most);
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
        Forget(wanted);
        wanted.RemoveWhere(IsPaused);
        if (_isRemovalDue || _membership.Map.Version != _appliedVersion || !wanted.SetEquals(_replicas.Keys))
            await ApplyMapAsync(_stop.Token);

        // What was applied before the log was asked, the log must have.
        Dictionary<long, LogPlace> before = _replicas.ToDictionary(one => one.Key, one => one.Value.Follower.End);
        if (before.Count == 0)
            return;
        foreach ((long shard, LogHead head) in await _log.HeadsAsync(before.Keys, _stop.Token))
        {
            if (Find(shard) is not { } replica)
                continue;
            if (replica.Follower.Failure is { } failure)
                await ReplaceAsync(shard, failure.IsOffLog ? failure.Message : null);
            else if (FindFault(before[shard], head.End) is not { } reason)
                replica.Hear(head.End.Position);
            else if (!replica.Follower.HasPassed(head.End))
                await ReplaceAsync(shard, reason);
            else if (replica.Follower.Saved == before[shard])
                await AdoptAsync(shard, head.End, before[shard]);
        }

        await FinishAsync();
        await ReportAsync();
    }

    // What is known of shards that this node is to have no replica of.
    private void Forget(HashSet<long> wanted)
    {
        foreach (long shard in _reported.Keys.Where(shard => !wanted.Contains(shard)))
            _reported.TryRemove(shard, out _);
        foreach (long shard in _failed.Keys.Where(shard => !wanted.Contains(shard)))
            _failed.TryRemove(shard, out _);
        foreach (long shard in _compared.Keys.Where(shard => !wanted.Contains(shard)))
            _compared.Remove(shard);
    }

    // The log has lost what came behind an end that the replica has passed: it goes on behind the replica, once that is on the disk. Those
    // that have less get it from here.
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
}
