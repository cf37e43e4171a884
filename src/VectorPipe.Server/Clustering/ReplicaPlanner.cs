using Microsoft.Extensions.Logging;
using VectorPipe.Cluster.Catalogue;
using VectorPipe.Cluster.Log;
using VectorPipe.Cluster.Members;

namespace VectorPipe.Server.Clustering;

/// <summary>Orders replicas as nodes come, leave and are lost, and trims the log.</summary>
/// <remarks>One node does it for all, but nothing depends on that: the map changes only if it still is the one of the plan.</remarks>
internal sealed class ReplicaPlanner : IAsyncDisposable
{
    private static readonly TimeSpan _shortestPause = TimeSpan.FromMilliseconds(200);
    private static readonly TimeSpan _longestPause = TimeSpan.FromSeconds(10);

    // All of a replica is read for it.
    private static readonly TimeSpan _betweenComparisons = TimeSpan.FromDays(1);

    // No node is away for so long.
    private static readonly TimeSpan _never = TimeSpan.FromDays(3650);

    private readonly CancellationTokenSource _stop = new();
    private readonly Membership _membership;
    private readonly ICatalogue _catalogue;
    private readonly IShardLog _log;
    private readonly TimeSpan _lost;
    private readonly Func<long, Task> _mark;
    private readonly ILogger _logger;
    private readonly TimeProvider _clock;
    private readonly Task _running;

    /// <summary>Begins.</summary>
    /// <param name="membership">This node.</param>
    /// <param name="catalogue">The catalogue.</param>
    /// <param name="log">The log.</param>
    /// <param name="lost">How long a node may be away before others take its place.</param>
    /// <param name="mark">Marks the log of a shard, so that its replicas are compared.</param>
    /// <param name="logger">Hears of what is ordered.</param>
    /// <param name="clock">The clock.</param>
    public ReplicaPlanner(
        Membership membership, ICatalogue catalogue, IShardLog log, TimeSpan lost, Func<long, Task> mark, ILogger logger,
        TimeProvider clock)
    {
        _membership = membership;
        _catalogue = catalogue;
        _log = log;
        _lost = lost;
        _mark = mark;
        _logger = logger;
        _clock = clock;
        _running = RunAsync();
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await _running;
        _stop.Dispose();
    }

    private async Task RunAsync()
    {
        TimeSpan pause = TimeSpan.FromTicks(Math.Clamp(_lost.Ticks / 10, _shortestPause.Ticks, _longestPause.Ticks));
        while (true)
        {
            await Task.Delay(pause, _clock, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (_stop.IsCancellationRequested)
                return;
            try
            {
                if (_membership.Behind.Keys.Append(_membership.Self.Id).Min() == _membership.Self.Id)
                    await PlanAsync();
            }
            catch (Exception e) when (e is ClusterException or LogUnavailableException or LogOutcomeUnknownException)
            {
                // The membership says so once.
            }
            catch (OperationCanceledException) when (_stop.IsCancellationRequested)
            {
                return;
            }
            catch (Exception e)
            {
                // Whatever it is, it is tried again.
                ClusteringLog.PlanFailed(_logger, e);
            }
        }
    }

    private async Task PlanAsync()
    {
        // When the database comes back, all leases have ended long ago.
        TimeSpan lost = _membership.SteadyFor >= _lost ? _lost : _never;
        ClusterMap map = await _catalogue.ReadAsync(_stop.Token);
        long? version = map.Version;
        foreach (ReplicaMove move in ReplicaPlan.Of(map, lost))
        {
            version = await _catalogue.AddReplicaAsync(version.Value, move, _stop.Token);
            if (version is null)
                break;
            ClusteringLog.ReplicaOrdered(_logger, move.Shard, move.Node, move.Replaces);
        }

        await _log.TrimAsync(lost, _stop.Token);
        await _log.CleanAsync(_stop.Token);
        if (await _catalogue.TakeUncomparedAsync(_betweenComparisons, _stop.Token) is { } shard)
            await _mark(shard);
    }
}
