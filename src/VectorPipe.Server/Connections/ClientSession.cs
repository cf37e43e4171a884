using Microsoft.AspNetCore.Connections;
using VectorPipe.Server.Resp;

namespace VectorPipe.Server.Connections;

/// <summary>What the server knows about a client.</summary>
/// <remarks>Changed by the client's own commands, one at a time; read by those of others.</remarks>
internal sealed class ClientSession(long id, ConnectionContext connection, long started, bool isAuthenticated)
{
    private readonly ConnectionContext _connection = connection;

    public long Id { get; } = id;

    public string Address { get; } = connection.RemoteEndPoint?.ToString() ?? "unknown";

    public string LocalAddress { get; } = connection.LocalEndPoint?.ToString() ?? "unknown";

    /// <summary>When it came, as a timestamp of the server's clock.</summary>
    public long Started { get; } = started;

    public string Name { get; set; } = "";

    public string Library { get; set; } = "";

    public string LibraryVersion { get; set; } = "";

    public string LastCommand { get; set; } = "NULL";

    public bool IsAuthenticated { get; set; } = isAuthenticated;

    /// <summary>The version of the protocol, 2 or 3.</summary>
    public int Version { get; set; } = 2;

    /// <summary>No command is read after the present one.</summary>
    public bool IsClosing { get; set; }

    /// <summary>Channels that it listens to; nothing is ever published.</summary>
    public HashSet<string> Channels { get; } = [];

    public RespLimits Limits => IsAuthenticated ? RespLimits.Default : RespLimits.Unauthenticated;

    /// <summary>Ends the connection at once.</summary>
    public void Abort(string reason) => _connection.Abort(new ConnectionAbortedException(reason));

    public void Reset(bool isAuthenticated)
    {
        Name = "";
        Version = 2;
        Channels.Clear();
        IsAuthenticated = isAuthenticated;
    }
}
