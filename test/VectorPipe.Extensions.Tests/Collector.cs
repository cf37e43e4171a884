using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Threading.Channels;

namespace VectorPipe.Extensions.Tests;

/// <summary>A collector of OpenTelemetry: it takes what a program exports over HTTP.</summary>
internal sealed class Collector : IAsyncDisposable
{
    private readonly HttpListener _listener = new();
    private readonly Channel<(string Path, string Body)> _received = Channel.CreateUnbounded<(string, string)>();
    private readonly Task _loop;

    public Collector()
    {
        Address = $"http://127.0.0.1:{FreePort()}";
        _listener.Prefixes.Add(Address + "/");
        _listener.Start();
        _loop = ReceiveAsync();
    }

    public string Address { get; }

    /// <summary>Waits until a text has come by each of the paths.</summary>
    public async Task ReceiveAllAsync(CancellationToken cancellationToken, params (string Path, string Text)[] expected)
    {
        List<(string Path, string Text)> missing = [.. expected];
        while (missing.Count > 0)
        {
            (string path, string body) = await _received.Reader.ReadAsync(cancellationToken);
            missing.RemoveAll(item => item.Path == path && body.Contains(item.Text, StringComparison.Ordinal));
        }
    }

    public async ValueTask DisposeAsync()
    {
        _listener.Close();
        await _loop;
    }

    private async Task ReceiveAsync()
    {
        try
        {
            while (true)
            {
                HttpListenerContext context = await _listener.GetContextAsync();

                // Texts are in the messages as they are.
                using var reader = new StreamReader(context.Request.InputStream, Encoding.Latin1);
                _received.Writer.TryWrite((context.Request.Url!.AbsolutePath, await reader.ReadToEndAsync()));
                context.Response.Close();
            }
        }
        catch (Exception e) when (e is HttpListenerException or ObjectDisposedException)
        {
            _received.Writer.Complete();
        }
    }

    private static int FreePort()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        return ((IPEndPoint)listener.LocalEndpoint).Port;
    }
}
