using System.Net;
using System.Net.Sockets;

namespace VectorPipe.Server.Tests.Clustering.Postgres.Partitions;

/// <summary>A port of this machine that passes connections on to another place, and can hold or cut them. Thread-safe.</summary>
internal sealed class TcpProxy : IAsyncDisposable
{
    private readonly Lock _gate = new();
    private readonly Socket _listener = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
    private readonly List<TcpProxyLink> _links = [];
    private readonly List<Task> _running = [];
    private readonly Task _accepting;
    private EndPoint? _target;
    private Fault? _fault;

    /// <summary>Begins to listen.</summary>
    /// <param name="target">Where connections go; null as long as that is not known: they are closed.</param>
    public TcpProxy(EndPoint? target = null)
    {
        _target = target;
        _listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        _listener.Listen();
        Port = ((IPEndPoint)_listener.LocalEndPoint!).Port;
        _accepting = AcceptAsync();
    }

    /// <summary>The port.</summary>
    public int Port { get; }

    /// <summary>Where connections go that come from here on.</summary>
    public EndPoint Target
    {
        set
        {
            lock (_gate)
                _target = value;
        }
    }

    /// <summary>Passes no bytes on, in either direction; those that come are passed on when it is healed.</summary>
    /// <param name="isHeld">Whether it is so for a connection, by the port of its client.</param>
    public void Hold(Predicate<int> isHeld) => Set(new Fault(isHeld, IsCut: false));

    /// <summary>Closes connections, and those that come.</summary>
    /// <param name="isCut">Whether it is so for a connection, by the port of its client.</param>
    public void Cut(Predicate<int> isCut) => Set(new Fault(isCut, IsCut: true));

    /// <summary>Passes all on again.</summary>
    public void Heal()
    {
        lock (_gate)
        {
            _fault = null;
            foreach (TcpProxyLink link in _links)
                link.Open();
        }
    }

    public async ValueTask DisposeAsync()
    {
        _listener.Dispose();
        await _accepting;
        Task[] running;
        lock (_gate)
        {
            foreach (TcpProxyLink link in _links)
                link.Dispose();
            running = [.. _running];
        }

        await Task.WhenAll(running);
    }

    private void Set(Fault fault)
    {
        lock (_gate)
        {
            _fault = fault;
            foreach (TcpProxyLink link in _links)
                Apply(fault, link);
        }
    }

    private static void Apply(Fault fault, TcpProxyLink link)
    {
        if (!fault.IsOf(link.ClientPort))
            return;
        if (fault.IsCut)
            link.Dispose();
        else
            link.Hold();
    }

    private async Task AcceptAsync()
    {
        while (true)
        {
            Socket client;
            try
            {
                client = await _listener.AcceptAsync();
            }
            catch (Exception e) when (e is SocketException or ObjectDisposedException)
            {
                return;
            }

            lock (_gate)
            {
                if (_target is null)
                {
                    client.Dispose();
                    continue;
                }

                var link = new TcpProxyLink(client, _target);
                if (_fault is { } fault)
                    Apply(fault, link);
                _links.Add(link);
                _running.RemoveAll(task => task.IsCompleted);
                _running.Add(RunAsync(link));
            }
        }
    }

    private async Task RunAsync(TcpProxyLink link)
    {
        await link.RunAsync();
        lock (_gate)
            _links.Remove(link);
    }

    private sealed record Fault(Predicate<int> IsOf, bool IsCut);
}
