using System.Globalization;
using System.Net;
using Microsoft.AspNetCore.Connections;
using VectorPipe.Server.Access;
using VectorPipe.Server.Commands;
using VectorPipe.Server.Resp;
using VectorPipe.Tasks;

namespace VectorPipe.Server.Connections;

/// <summary>What the server knows about a client.</summary>
/// <remarks>Changed by the client's own commands, one at a time; read by those of others.</remarks>
internal sealed class ClientSession(
    long id, ConnectionContext connection, ServerState server, ClientCursors cursors)
{
    private readonly ConnectionContext _connection = connection;
    private readonly RespLimits _limits = server.Options.ToLimits();
    private readonly Lock _gate = new();

    // Positions of the cluster's logs that it has written, by shard: what it reads has them.
    private Dictionary<long, long>? _written;
    private long _unsentBytes;

    public long Id { get; } = id;

    public string Address { get; } = connection.RemoteEndPoint?.ToString() ?? "unknown";

    public string LocalAddress { get; } = connection.LocalEndPoint?.ToString() ?? "unknown";

    /// <summary>When it came, as a timestamp of the server's clock.</summary>
    public long Started { get; } = server.Clock.GetTimestamp();

    public string Name { get; set; } = "";

    public string Library { get; set; } = "";

    public string LibraryVersion { get; set; } = "";

    public string LastCommand { get; set; } = "NULL";

    /// <summary>Who it is; null until it has said so.</summary>
    public AccessUser? User { get; set; } = server.Access.Anonymous;

    public EndPoint? EndPoint => _connection.RemoteEndPoint;

    /// <summary>The version of the protocol, 2 or 3.</summary>
    public int Version { get; set; } = 2;

    /// <summary>It is another node of the cluster.</summary>
    public bool IsNode { get; set; }

    /// <summary>No command is read after the present one.</summary>
    public bool IsClosing { get; set; }

    /// <summary>Bytes of replies that are whole and not sent.</summary>
    public long UnsentBytes => Volatile.Read(ref _unsentBytes);

    /// <summary>Channels that it listens to; nothing is ever published.</summary>
    public HashSet<string> Channels { get; } = [];

    /// <summary>Its searches that can go on.</summary>
    public ClientCursors Cursors { get; } = cursors;

    /// <summary>Blocks for the arguments of its commands.</summary>
    public IdleObjects<byte[]> Blocks { get; } = new(server.Options.ClientPipeline);

    /// <summary>Parts of its commands that were carried out.</summary>
    public IdleObjects<Call> Parts { get; } = new(server.Options.ClientPipeline);

    /// <summary>Notes the position that a write of it has.</summary>
    public void Note(long shard, long position)
    {
        lock (_gate)
        {
            _written ??= [];
            _written[shard] = Math.Max(position, _written.GetValueOrDefault(shard));
        }
    }

    /// <summary>The last position that it has written to a shard; 0 for none.</summary>
    public long PositionOf(long shard)
    {
        lock (_gate)
            return _written?.GetValueOrDefault(shard) ?? 0;
    }

    /// <summary>What it may send.</summary>
    public RespLimits Limits => User is null ? RespLimits.Unauthenticated : IsNode ? RespLimits.Node : _limits;

    /// <summary>Counts a reply that is whole, or one that was sent, with its length below 0.</summary>
    public void CountReply(int bytes) => Interlocked.Add(ref _unsentBytes, bytes);

    /// <summary>Ends the connection at once.</summary>
    public void Abort(string reason) => _connection.Abort(new ConnectionAbortedException(reason));

    /// <summary>All about it, as CLIENT LIST shows it.</summary>
    public string Describe(TimeProvider clock) => string.Create(
        CultureInfo.InvariantCulture,
        $"id={Id} addr={Address} laddr={LocalAddress} name={Name} age={clock.GetElapsedTime(Started).TotalSeconds:F0} db=0 "
        + $"sub={Channels.Count} cmd={LastCommand} user={User?.Name ?? "(none)"} resp={Version} "
        + $"lib-name={Library} lib-ver={LibraryVersion}");

    public void Reset(AccessUser? user)
    {
        Name = "";
        Version = 2;
        Channels.Clear();
        Cursors.Clear();
        User = user;
    }
}
