using System.Net;
using System.Net.Sockets;

namespace VectorPipe.Server.Tests.Clustering.Postgres.Partitions;

/// <summary>A connection through a proxy. Thread-safe.</summary>
internal sealed class TcpProxyLink : IDisposable
{
    private readonly Socket _client;
    private readonly Socket _server;
    private readonly EndPoint _target;
    private volatile TaskCompletionSource _open = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Takes a connection.</summary>
    /// <param name="client">Its socket.</param>
    /// <param name="target">Where it goes.</param>
    public TcpProxyLink(Socket client, EndPoint target)
    {
        _client = client;
        _target = target;
        _server = new Socket(target.AddressFamily, SocketType.Stream, target is IPEndPoint ? ProtocolType.Tcp : ProtocolType.IP);
        ClientPort = ((IPEndPoint)client.RemoteEndPoint!).Port;
        _open.SetResult();
    }

    /// <summary>The port of its client.</summary>
    public int ClientPort { get; }

    /// <summary>Passes nothing on until it is opened.</summary>
    public void Hold()
    {
        if (_open.Task.IsCompleted)
            _open = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
    }

    /// <summary>Passes on what was held, and what comes.</summary>
    public void Open() => _open.TrySetResult();

    /// <summary>Closes it to both sides.</summary>
    public void Dispose()
    {
        _client.Dispose();
        _server.Dispose();
        Open();
    }

    /// <summary>Passes bytes on until one side closes it.</summary>
    public async Task RunAsync()
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        try
        {
            await _open.Task;
            await _server.ConnectAsync(_target);
            _client.NoDelay = true;
            if (_target is IPEndPoint)
                _server.NoDelay = true;
            await Task.WhenAll(PassAsync(_client, _server), PassAsync(_server, _client));
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            // It is closed by one side, or cut.
        }
        finally
        {
            Dispose();
        }
    }

    private async Task PassAsync(Socket from, Socket to)
    {
        byte[] bytes = new byte[64 << 10];
        try
        {
            for (int read; (read = await from.ReceiveAsync(bytes)) > 0;)
            {
                await _open.Task;
                for (int sent = 0; sent < read;)
                    sent += await to.SendAsync(bytes.AsMemory(sent, read - sent));
            }

            // What was sent before the end arrives before it.
            await _open.Task;
        }
        finally
        {
            to.Dispose();
        }
    }
}
