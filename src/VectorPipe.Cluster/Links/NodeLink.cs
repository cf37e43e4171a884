using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace VectorPipe.Cluster.Links;

/// <summary>A connection to another node, which many calls share: commands go out as they come, replies come back in their order.</summary>
/// <remarks>It is opened by the first call, and again after it has failed. Thread-safe.</remarks>
internal sealed class NodeLink : IAsyncDisposable
{
    private static readonly TimeSpan _longestConnect = TimeSpan.FromSeconds(1);

    private readonly Lock _gate = new();
    private readonly CancellationTokenSource _stop = new();

    // Null for one that is none: the catalogue may have it from anywhere.
    private readonly NodeAddress? _node;
    private readonly string? _password;
    private readonly TimeProvider _clock;
    private Task<LinkConnection>? _opening;
    private int _inFlight;

    /// <summary>Makes one.</summary>
    /// <param name="address">Host and port.</param>
    /// <param name="password">What the node wants to hear first; null for nothing.</param>
    /// <param name="clock">The clock.</param>
    public NodeLink(string address, string? password, TimeProvider clock)
    {
        Address = address;
        _node = NodeAddress.Find(address, port: 0) is { Port: > 0 } node ? node : null;
        _password = password;
        _clock = clock;
    }

    /// <summary>Host and port of the node.</summary>
    public string Address { get; }

    /// <summary>Calls without a reply, also those that nobody waits for any longer.</summary>
    public int InFlight => Volatile.Read(ref _inFlight);

    /// <summary>Begins a call.</summary>
    /// <param name="call">The call, which is ended on any thread, also before this returns.</param>
    /// <param name="command">The bytes of its command; read before this returns.</param>
    public void Begin(LinkCall call, ReadOnlyMemory<byte> command)
    {
        Interlocked.Increment(ref _inFlight);
        Task<LinkConnection> opening = OpenAsync();
        if (!opening.IsCompletedSuccessfully)
            _ = SendWhenOpenAsync(opening, call, command.ToArray());
        else if (opening.Result.Send(call, command.Span) is { } failure)
            Fail(call, failure);
    }

    public async ValueTask DisposeAsync()
    {
        Task<LinkConnection>? opening;
        await _stop.CancelAsync();
        lock (_gate)
            opening = _opening;
        if (opening is not null)
        {
            await ((Task)opening).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (opening.IsCompletedSuccessfully)
            {
                opening.Result.Fail(new NodeUnreachableException($"{Address}: the link is closed"));
                await opening.Result.Ended;
            }
        }

        _stop.Dispose();
    }

    private async Task SendWhenOpenAsync(Task<LinkConnection> opening, LinkCall call, byte[] command)
    {
        try
        {
            LinkConnection connection = await opening;
            if (!call.IsAwaited)
                CountEnd();
            else if (connection.Send(call, command) is { } failure)
                Fail(call, failure);
        }
        catch (Exception e)
        {
            Fail(call, e as NodeUnreachableException ?? new NodeUnreachableException($"{Address}: {e.Message}", e));
        }
    }

    private void Fail(LinkCall call, NodeUnreachableException failure)
    {
        CountEnd();
        call.Fail(failure);
    }

    private void CountEnd()
    {
        int left = Interlocked.Decrement(ref _inFlight);
        Debug.Assert(left >= 0, "a call ends once");
    }

    private Task<LinkConnection> OpenAsync()
    {
        lock (_gate)
        {
            bool isUsable = _opening is { IsCompleted: false } || _opening is { IsCompletedSuccessfully: true, Result.HasFailed: false };
            return isUsable ? _opening! : _opening = ConnectAsync();
        }
    }

    private async Task<LinkConnection> ConnectAsync()
    {
        // The caller holds the lock.
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        if (_node is not { } at)
            throw new NodeUnreachableException($"expected the host and the port of a node, found '{Address}'");
        Socket? socket = null;
        var error = SocketError.HostNotFound;
        try
        {
            IPAddress[] addresses = await Dns.GetHostAddressesAsync(at.Host, _stop.Token).WaitAsync(_longestConnect, _clock, _stop.Token);
            foreach (IPAddress address in addresses)
            {
                // Without the runtime's waiting for sockets, of which the connection has no use: it would wake a thread for each message.
                socket = new Socket(address.AddressFamily, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true, Blocking = false };
                var node = new IPEndPoint(address, at.Port);
                error = await Task.Factory.StartNew(
                    () => Connect(socket, node), _stop.Token, TaskCreationOptions.LongRunning, TaskScheduler.Default);
                if (error == SocketError.Success)
                    return Use(socket);
                socket.Dispose();
            }

            throw new SocketException((int)error);
        }
        catch (Exception e) when (e is SocketException or OperationCanceledException or ObjectDisposedException or TimeoutException)
        {
            socket?.Dispose();
            throw new NodeUnreachableException($"{Address}: expected a node that can be reached: {e.Message}", e);
        }
    }

    private static SocketError Connect(Socket socket, IPEndPoint node)
    {
        try
        {
            socket.Connect(node);
            return SocketError.Success;
        }
        catch (SocketException e) when (e.SocketErrorCode is SocketError.WouldBlock or SocketError.InProgress)
        {
            return socket.Poll(_longestConnect, SelectMode.SelectWrite)
                ? (SocketError)(int)socket.GetSocketOption(SocketOptionLevel.Socket, SocketOptionName.Error)!
                : SocketError.TimedOut;
        }
        catch (SocketException e)
        {
            return e.SocketErrorCode;
        }
    }

    private LinkConnection Use(Socket socket)
    {
        var connection = new LinkConnection(Address, socket, CountEnd, _clock);
        if (_password is not null)
        {
            // Nobody waits: a wrong one shows in the replies of all that follows.
            var first = new LinkCall(inbox: null, Timeout.InfiniteTimeSpan);
            Interlocked.Increment(ref _inFlight);
            if (connection.Send(first, LinkCommand.Encode(["AUTH"u8.ToArray(), Encoding.UTF8.GetBytes(_password)])) is { } failure)
                Fail(first, failure);
        }

        return connection;
    }
}
