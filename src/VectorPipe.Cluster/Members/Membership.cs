using System.Diagnostics;
using Microsoft.Extensions.Logging;
using VectorPipe.Cluster.Catalogue;

namespace VectorPipe.Cluster.Members;

/// <summary>A node's place in its cluster: it renews its lease, and knows the map and which nodes are alive.</summary>
/// <remarks>
/// <para>A lease is what others go by when they choose nodes for new shards; whether a call can be answered, the call itself tells. So
/// nothing depends on how soon a lease ends, and a node that was stopped for a while goes on as it was.</para>
/// <para>Thread-safe.</para>
/// </remarks>
internal sealed class Membership : IAsyncDisposable
{
    /// <summary>How long a lease lasts.</summary>
    public static readonly TimeSpan Lease = TimeSpan.FromSeconds(3);

    // Two renewals may fail before the lease ends.
    private static readonly TimeSpan _pause = Lease / 6;

    private readonly ICatalogue _catalogue;
    private readonly ILogger _logger;
    private readonly TimeProvider _clock;
    private readonly long _epoch;
    private readonly CancellationTokenSource _stop = new();
    private readonly SemaphoreSlim _one = new(1, 1);
    private readonly Lock _gate = new();
    private readonly Task _running;

    // A look at the map that has not begun, for all who ask meanwhile.
    private Task<ClusterMap>? _next;
    private View _view;
    private Func<int>? _countBehind;
    private long _steadySince;

    private Membership(ICatalogue catalogue, NodeIdentity self, long epoch, View view, ILogger logger, TimeProvider clock)
    {
        _catalogue = catalogue;
        _logger = logger;
        _clock = clock;
        _epoch = epoch;
        _view = view;
        _steadySince = clock.GetTimestamp();
        Self = self;
        _running = RunAsync();
    }

    /// <summary>This node.</summary>
    public NodeIdentity Self { get; }

    /// <summary>The newest map that is known.</summary>
    public ClusterMap Map => Volatile.Read(ref _view).Map;

    /// <summary>
    /// The nodes that are alive, as far as is known, and how many replicas each of them has and does not answer for yet.
    /// </summary>
    public IReadOnlyDictionary<Guid, int> Behind => Volatile.Read(ref _view).Behind;

    /// <summary>Counts the replicas that this node has and does not answer for yet; until it is set, all of them.</summary>
    public Func<int> CountBehind
    {
        set => Volatile.Write(ref _countBehind, value);
    }

    /// <summary>
    /// For how long the lease has been renewed without a failure. What the catalogue says of other nodes is old if it was away itself.
    /// </summary>
    public TimeSpan SteadyFor => _clock.GetElapsedTime(Volatile.Read(ref _steadySince));

    /// <summary>This node must end: another start of it has taken its place, or nodes of another protocol have come.</summary>
    public event Action? Superseded;

    /// <summary>The map is another one. Who hears of it does nothing that takes long.</summary>
    public event Action<ClusterMap>? Changed;

    /// <summary>Enters the cluster.</summary>
    /// <exception cref="NodeProtocolException">A node that is alive has another protocol.</exception>
    /// <exception cref="ClusterException">The catalogue cannot be reached, or another node has the name.</exception>
    public static async Task<Membership> JoinAsync(
        ICatalogue catalogue, NodeIdentity self, ILogger logger, TimeProvider clock, CancellationToken cancellationToken)
    {
        long epoch = await catalogue.JoinAsync(self.Id, self.Name, self.Address, self.Protocol, Lease, cancellationToken);
        ClusterMap map = await catalogue.ReadAsync(cancellationToken);
        return new Membership(catalogue, self, epoch, ViewOf(map), logger, clock);
    }

    /// <summary>The map as it is now, for what the known one does not have. Those who ask at the same time share an answer.</summary>
    /// <remarks>Also that there is none: one after another they would wait for a catalogue that says nothing, each for as long.</remarks>
    /// <exception cref="ClusterException">The catalogue cannot be reached.</exception>
    public Task<ClusterMap> RefreshAsync(CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            _next ??= Task.Run(LookAsync, CancellationToken.None);
            return _next.WaitAsync(cancellationToken);
        }
    }

    /// <summary>Leaves: other nodes know at once.</summary>
    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await _running;
        await _one.WaitAsync(CancellationToken.None);
        try
        {
            await _catalogue.RenewAsync(Self.Id, _epoch, TimeSpan.Zero, behind: 0, CancellationToken.None);
        }
        catch (ClusterException e)
        {
            ClusterLog.CatalogueFailed(_logger, e.Message);
        }

        _stop.Dispose();
        _one.Dispose();
    }

    private static View ViewOf(ClusterMap map) =>
        new(map, map.Nodes.Where(node => node.IsAlive).ToDictionary(node => node.Id, node => node.Behind));

    private int CountOwnBehind() =>
        Volatile.Read(ref _countBehind)?.Invoke() ?? Map.ShardsOf(Self.Id).Count(one => !one.IsJoining);

    private async Task RunAsync()
    {
        bool isReachable = true;
        while (true)
        {
            await Task.Delay(_pause, _clock, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (_stop.IsCancellationRequested)
                return;
            try
            {
                if (!await RenewAsync())
                {
                    ClusterLog.Superseded(_logger, Self.Name);
                    Superseded?.Invoke();
                    return;
                }

                if (!isReachable)
                    ClusterLog.CatalogueBack(_logger);
                isReachable = true;
            }
            catch (OperationCanceledException) when (_stop.IsCancellationRequested)
            {
                return;
            }
            catch (NodeProtocolException e)
            {
                ClusterLog.Refused(_logger, e.Message);
                Superseded?.Invoke();
                return;
            }
            catch (Exception e)
            {
                // Whatever it is, the next renewal may succeed; without them the node would be dead to the others.
                if (isReachable)
                    ClusterLog.CatalogueFailed(_logger, e.Message);
                isReachable = false;
            }

            if (!isReachable)
                Volatile.Write(ref _steadySince, _clock.GetTimestamp());
        }
    }

    private async Task<bool> RenewAsync()
    {
        LeaseState? state = await _catalogue.RenewAsync(Self.Id, _epoch, Lease, CountOwnBehind(), _stop.Token);
        if (state is null)
            return false;

        // A database that was set back has lost the node.
        if (!state.IsKnown)
            await _catalogue.JoinAsync(Self.Id, Self.Name, Self.Address, Self.Protocol, Lease, _stop.Token);
        await _one.WaitAsync(_stop.Token);
        try
        {
            Publish(_view with { Behind = state.Behind });
            if (state.MapVersion != _view.Map.Version)
                await ReadMapAsync(_stop.Token);
            return true;
        }
        finally
        {
            _one.Release();
        }
    }

    private async Task<ClusterMap> LookAsync()
    {
        await _one.WaitAsync(_stop.Token);
        try
        {
            // Who asks from here on may want what has changed since.
            lock (_gate)
                _next = null;
            if (await _catalogue.ReadVersionAsync(_stop.Token) != _view.Map.Version)
                await ReadMapAsync(_stop.Token);
            return _view.Map;
        }
        finally
        {
            _one.Release();
        }
    }

    private async Task ReadMapAsync(CancellationToken cancellationToken)
    {
        Debug.Assert(_one.CurrentCount == 0, "one reads at a time, so that an older map never follows a newer one");
        ClusterMap map = await _catalogue.ReadAsync(cancellationToken);
        Publish(ViewOf(map));
        Changed?.Invoke(map);
    }

    private void Publish(View view) => Volatile.Write(ref _view, view);

    private sealed record View(ClusterMap Map, IReadOnlyDictionary<Guid, int> Behind);
}
