using System.Globalization;
using System.Net;
using System.Runtime.CompilerServices;
using System.Text;
using VectorPipe.Cluster.Catalogue;
using VectorPipe.Cluster.Links;
using VectorPipe.Cluster.Log;
using VectorPipe.Cluster.Members;
using VectorPipe.Cluster.Replicas;
using VectorPipe.Server.Access;
using VectorPipe.Server.Commands;
using VectorPipe.Server.Sets;
using VectorPipe.Tasks;
using VectorPipe.Storage.Files;

namespace VectorPipe.Server.Clustering;

/// <summary>This server as a node of a cluster: commands about any set, wherever its replicas are.</summary>
/// <remarks>
/// <para>Writes go to the log of the set's shard in the database, and are answered when they are there and a replica has applied them.
/// Reads are answered by the replica on this node, or passed on to a node that has one.</para>
/// <para>Thread-safe.</para>
/// </remarks>
internal sealed partial class ClusterRouter : ISetRouter, IAsyncDisposable
{
    private const int XshardArguments = 4;

    // More than a batch of the log has.
    private const int MostOutcomes = 1 << 14;

    private const string CopiesFolder = "copies";

    // How long a write is tried, and how long its outcome or a replica that lags is waited for.
    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(2);

    // Of sets as the map has them, for as long as it does.
    private readonly ConditionalWeakTable<ClusterSet, SetSettings> _settings = [];
    private readonly ClusterDatabase _database;
    private readonly PostgresCatalogue _catalogue;
    private readonly PostgresShardLog _log;
    private readonly Membership _membership;
    private readonly ReplicaKeeper _keeper;
    private readonly ShardAppenders _appenders;
    private readonly ReplicaCalls _calls;
    private readonly ReplicaCopies _copies;
    private readonly ReplicaPlanner _planner;
    private readonly NewSets _newSets;
    private readonly ServerState _server;

    private ClusterRouter(
        ServerState server, ClusterDatabase database, PostgresCatalogue catalogue, PostgresShardLog log,
        IReadOnlyDictionary<long, LogHead> heads, Membership membership)
    {
        _server = server;
        _database = database;
        _catalogue = catalogue;
        _log = log;
        _membership = membership;
        _calls = new ReplicaCalls(server.Options.Password, server.Clock);
        _keeper = new ReplicaKeeper(
            membership, catalogue, _log, server.Sets, heads, new ReplicaFetch(_calls, server.Clock), server.Logger, server.Clock);

        // The replica on this node takes what was written from here; the others read it.
        _appenders = new ShardAppenders(
            log, (shard, entry) => _keeper.Find(shard)?.Follower.Offer(entry), _patience, server.Clock);
        _newSets = new NewSets(catalogue, membership, _keeper, server.Options);
        _planner = new ReplicaPlanner(
            membership, catalogue, _log, TimeSpan.FromSeconds(server.Options.ReplaceAfterSeconds),
            shard => _appenders.AppendAsync(shard, new LogRecord(RecordKind.Mark, default), CancellationToken.None), server.Logger,
            server.Clock);
        _copies = new ReplicaCopies(
            Path.Combine(server.Options.Directory, CopiesFolder), server.Logger, server.Clock);
        membership.Superseded += server.RequestStop;
        membership.Changed += _appenders.Keep;
        membership.CountBehind = CountBehind;
    }

    public IReadOnlyCollection<string> Names => [.. _membership.Map.Sets.Select(set => set.Name)];

    public int Count => _membership.Map.Sets.Count;

    public IReadOnlyList<ReplicaState> Replicas =>
    [
        .. _keeper.All.OrderBy(replica => replica.Name, StringComparer.Ordinal).Select(replica => new ReplicaState(
            replica.Name, replica.Follower.Shard, replica.MemoryBytes, replica.IsServing, replica.Follower.Applied, replica.Head,
            replica.Follower.Failure?.Message)),
    ];

    public long Hedges => _calls.Hedges;

    /// <summary>Enters the cluster.</summary>
    /// <exception cref="NodeProtocolException">A node that is alive has another protocol.</exception>
    /// <exception cref="ClusterException">The database cannot be used, or another node has the name.</exception>
    /// <exception cref="IOException">
    /// The data folder holds sets of a server on its own, or is one of another cluster, or has lost the number of its node.
    /// </exception>
    public static async Task<ClusterRouter> JoinAsync(ServerState server, CancellationToken cancellationToken)
    {
        ServerOptions options = server.Options;
        foreach (string name in server.Sets.Names)
        {
            using HeldSet held = server.Sets.Find(name)!.Value;
            if (held.Set.Settings.Shard == 0)
            {
                throw new IOException(
                    $"{options.Directory}: expected a new folder or one of a node, found set {name} of a server without --cluster");
            }
        }

        ClusterDatabase database = await ClusterDatabase.OpenAsync(options.Cluster!, server.Clock, cancellationToken);
        try
        {
            ReplicaCopies.Clear(Path.Combine(options.Directory, CopiesFolder));
            Guid id = NodeIdentity.IdOf(options.Directory, database.Cluster, isNew: server.Sets.Count == 0);
            DirectorySync.Flush(options.Directory);
            var self = new NodeIdentity(
                id,
                options.NodeName ?? $"{Dns.GetHostName()}:{server.Port.ToString(CultureInfo.InvariantCulture)}",
                AddressOf(options.Announce ?? options.Bind, server.Port));
            var catalogue = new PostgresCatalogue(database);
            var log = new PostgresShardLog(database);
            long[] shards = ShardsIn(server.Sets);
            if (shards.Length > 0)
                await catalogue.SkipShardsAsync(shards.Max(), cancellationToken);
            IReadOnlyDictionary<long, LogHead> heads = await log.HeadsAsync(shards, cancellationToken);
            Membership membership = await Membership.JoinAsync(catalogue, self, server.Logger, server.Clock, cancellationToken);
            ClusteringLog.Joined(server.Logger, self.Name, self.Address);
            return new ClusterRouter(server, database, catalogue, log, heads, membership);
        }
        catch (LogUnavailableException e)
        {
            await database.DisposeAsync();
            throw new ClusterException($"--cluster: {e.Message}", e);
        }
        catch
        {
            await database.DisposeAsync();
            throw;
        }
    }

    public bool Contains(string name) => _membership.Map.FindSet(name) is not null;

    public async Task<bool> RemoveAsync(string name)
    {
        while (await FindSetToRemoveAsync(name) is { } set)
        {
            try
            {
                bool isRemoved = await _catalogue.RemoveSetAsync(set.Id, CancellationToken.None);
                ClusterMap map = await _membership.RefreshAsync(CancellationToken.None);
                await _keeper.ApplyMapAsync(CancellationToken.None);
                if (isRemoved)
                    return true;

                // Another node has removed it; there may be another one by now.
                if (map.FindSet(name)?.Id == set.Id)
                    throw new ClusterException($"The database has set {name}, and does not remove it.");
            }
            catch (ClusterException e)
            {
                throw new CommandException("UNKNOWN It may be removed. " + e.Message);
            }
        }

        return false;
    }

    [AsyncMethodBuilder(typeof(PooledTaskBuilder))]
    public async ValueTask RunAsync(CommandInfo info, Call call)
    {
        try
        {
            switch (info.Name)
            {
                case "vadd":
                    await AddAsync(call);
                    break;
                case "vrem":
                    await ChangeAsync(call, new LogRecord(RecordKind.Remove, ElementOf(call, 2)));
                    break;
                case "vsetattr":
                    byte[] attributes = AddArguments.ReadAttributes(call, 3).ToArray();
                    await ChangeAsync(call, new LogRecord(RecordKind.SetAttributes, ElementOf(call, 2), default, attributes));
                    break;
                case "xcompact":
                    await CompactAsync(info, call);
                    break;
                case "xcheck":
                    await CheckAsync(call);
                    break;
                default:
                    await ReadAsync(info, call);
                    break;
            }
        }
        catch (Exception e) when (e is LogUnavailableException or ClusterException)
        {
            bool isRead = info.Categories.HasFlag(AccessCategory.Read);
            throw new CommandException((isRead ? "TRYAGAIN " : "TRYAGAIN Nothing was written. ") + e.Message);
        }
        catch (LogOutcomeUnknownException e)
        {
            throw new CommandException("UNKNOWN It may be written. " + e.Message);
        }
    }

    [AsyncMethodBuilder(typeof(PooledTaskBuilder))]
    public async ValueTask ServeAsync(Call call)
    {
        (long shard, long position) = ShardAndPosition(call);
        if (!call.TryInteger(3, out long version) || version is not (2 or 3))
            throw new CommandException("ERR XSHARD: expected version 2 or 3 of the protocol");
        call.Command.RemoveFirst(XshardArguments);
        CommandInfo? info = CommandInfo.Find(call.Command[0]);
        if (info is not { Kind: CommandKind.Read, FirstKey: 1 } || !info.Takes(call.Count))
            throw new CommandException("ERR XSHARD: expected a command that reads a set");
        if (AccessCheck.Find(call.Session.User!.Rights, info, call.Command) is { } denial)
            throw new CommandException("NOPERM " + denial.Message(call.Session.User.Name));
        LocalReplica replica = await FindReplicaAsync(shard, call.Stop);
        if (replica.Name != call.SetName(1) || !replica.IsNear)
            throw NotReady(shard);
        await ReachAsync(replica, Math.Max(position, replica.Wanted), call.Stop);
        call.Reply.Version = (int)version;
        if (!await TryRunAsync(info, call, replica))
            throw NotReady(shard);
    }

    public async Task AnswerAppliedAsync(Call call)
    {
        (long shard, long position) = ShardAndPosition(call);
        if (!call.TryInteger(3, out long chain) || !call.TryInteger(4, out long count) || count is < 1 or > MostOutcomes)
            throw new CommandException("ERR value is not an integer or out of range");
        LocalReplica replica = await FindReplicaAsync(shard, call.Stop);
        if (!replica.IsNear)
            throw NotReady(shard);
        Task<bool[]?> asked = replica.WaitAsync(new LogPlace(position, chain), (int)count, call.Stop);
        bool[] outcomes = await InTimeAsync(asked, replica, position, call.Stop) ?? throw NotReady(shard);
        byte[] marks = [.. outcomes.Select(outcome => outcome ? (byte)'1' : (byte)'0')];
        call.Reply.Bulk(marks);
    }

    public async ValueTask DisposeAsync()
    {
        await _planner.DisposeAsync();
        _membership.Changed -= _appenders.Keep;
        await _appenders.DisposeAsync();
        await _copies.DisposeAsync();
        await _keeper.DisposeAsync();
        await _calls.DisposeAsync();
        await _membership.DisposeAsync();
        await _database.DisposeAsync();
    }

    private static string AddressOf(string announced, int port) => NodeAddress.Find(announced, port) is { } address
        ? address.ToString()
        : throw new ClusterException($"--announce: expected {NodeAddress.Forms}, found '{announced}'");

    private static long[] ShardsIn(SetStore sets)
    {
        var shards = new List<long>();
        foreach (string name in sets.Names)
        {
            using HeldSet? held = sets.Find(name);
            if (held is { } found)
                shards.Add(found.Set.Settings.Shard);
        }

        return [.. shards];
    }

    private static ReadOnlyMemory<byte> ElementOf(Call call, int index) => Encoding.UTF8.GetBytes(call.Element(index));

    private static CommandException NotReady(long shard) => new($"NOTREADY This node has no replica of shard {shard} that can be asked");

    private static (long Shard, long Position) ShardAndPosition(Call call) =>
        call.TryInteger(1, out long shard) && call.TryInteger(2, out long position)
            ? (shard, position)
            : throw new CommandException("ERR value is not an integer or out of range");

    private int CountBehind() => _membership.Map.ShardsOf(_membership.Self.Id)
        .Count(one => !one.IsJoining && _keeper.Find(one.Shard.Id) is not { IsServing: true });

    private SetSettings SettingsOf(ClusterSet set) => _settings.GetValue(set, static one => SetSettings.FromJson(one.Settings.Span));

    [AsyncMethodBuilder(typeof(PooledTaskBuilder<>))]
    private async ValueTask<ClusterSet?> FindSetAsync(string name, CancellationToken cancellationToken) =>
        _membership.Map.FindSet(name) ?? (await _membership.RefreshAsync(cancellationToken)).FindSet(name);

    private async Task<ClusterSet?> FindSetToRemoveAsync(string name)
    {
        try
        {
            return await FindSetAsync(name, CancellationToken.None);
        }
        catch (ClusterException e)
        {
            throw new CommandException("TRYAGAIN Nothing was removed. " + e.Message);
        }
    }

    private List<ClusterNode> OthersOf(ClusterShard shard)
    {
        ClusterMap map = _membership.Map;
        var others = new List<ClusterNode>(shard.Replicas.Count);
        foreach (ShardReplica replica in shard.Replicas)
        {
            if (!replica.IsJoining && replica.Node != _membership.Self.Id && map.FindNode(replica.Node) is { } node)
                others.Add(node);
        }

        return others;
    }

    // Null if the map wants none here. One that it wants is made first: a set can be known before its replica is there.
    private async ValueTask<LocalReplica?> FindOwnAsync(ClusterShard shard, CancellationToken cancellationToken)
    {
        if (!shard.Nodes.Contains(_membership.Self.Id))
            return null;
        if (_keeper.Find(shard.Id) is { } known)
            return known;
        if (!_keeper.IsPaused(shard.Id))
            await _keeper.ApplyMapAsync(cancellationToken);
        return _keeper.Find(shard.Id);
    }

    // Who asks may know a newer map.
    private async Task<LocalReplica> FindReplicaAsync(long shard, CancellationToken cancellationToken)
    {
        if (_keeper.Find(shard) is { } known)
            return known;
        await _membership.RefreshAsync(cancellationToken);
        await _keeper.ApplyMapAsync(cancellationToken);
        return _keeper.Find(shard) ?? throw NotReady(shard);
    }

    // Nearly always it has: a read waits for what its client has written elsewhere, and for nothing else.
    private ValueTask ReachAsync(LocalReplica replica, long position, CancellationToken cancellationToken) =>
        replica.Follower.Failure is null && replica.Follower.Applied >= position
            ? ValueTask.CompletedTask
            : new ValueTask(WaitAsync(replica, position, cancellationToken));

    private Task<bool?> WaitAsync(LocalReplica replica, long position, CancellationToken cancellationToken) =>
        InTimeAsync(replica.WaitAsync(position, cancellationToken), replica, position, cancellationToken);

    private async Task<T> InTimeAsync<T>(Task<T> reached, LocalReplica replica, long position, CancellationToken cancellationToken)
    {
        try
        {
            return await reached.WaitAsync(_patience, _server.Clock, cancellationToken);
        }
        catch (Exception e) when (e is TimeoutException or ReplicaException)
        {
            throw new CommandException($"NOTREADY The replica of shard {replica.Follower.Shard} has not reached {position}: {e.Message}");
        }
    }

    private static ReadOnlyMemory<byte> Bytes(string text) => Encoding.ASCII.GetBytes(text);

    private static ReadOnlyMemory<byte> Bytes(long number) => Bytes(number.ToString(CultureInfo.InvariantCulture));
}
