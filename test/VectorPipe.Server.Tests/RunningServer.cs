using VectorPipe.Server.Sets;

namespace VectorPipe.Server.Tests;

/// <summary>A server in this process, with a data folder of its own.</summary>
internal sealed class RunningServer : IAsyncDisposable
{
    private readonly ServerOptions _options;
    private readonly TimeProvider? _clock;
    private VectorSetServer? _server;

    private RunningServer(ServerOptions options, TimeProvider? clock)
    {
        _clock = clock;
        _options = options;
    }

    public int Port => _server!.Port;

    public int HttpPort => _server!.HttpPort;

    public string Directory => _options.Directory;

    /// <summary>Makes a graph of all elements of a set.</summary>
    public async Task CompactAsync(string name)
    {
        using HeldSet held = _server!.Sets.Find(name)!.Value;
        await held.Set.Collection.CompactAsync();
    }

    /// <summary>A set of this server, in a cluster a replica, held for the caller.</summary>
    public HeldSet Find(string localName) => _server!.Sets.Find(localName)!.Value;

    public static async Task<RunningServer> StartAsync(Action<ServerOptions>? change = null, TimeProvider? clock = null)
    {
        var options = new ServerOptions
        {
            Port = 0,
            Directory = System.IO.Directory.CreateTempSubdirectory("vectorpipe-server-").FullName,
            Threads = 1,
            AppendFsync = "no",
        };
        change?.Invoke(options);
        var running = new RunningServer(options, clock);
        await running.StartAgainAsync();
        return running;
    }

    public async Task StopAsync()
    {
        await _server!.DisposeAsync();
        _server = null;
    }

    public async Task StartAgainAsync() => _server = await VectorSetServer.StartAsync(_options, _clock);

    public Task<RespClient> ConnectAsync() => RespClient.ConnectAsync(Port);

    public async ValueTask DisposeAsync()
    {
        if (_server is not null)
            await _server.DisposeAsync();
        System.IO.Directory.Delete(Directory, recursive: true);
    }
}
