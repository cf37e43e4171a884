using System.Buffers;
using System.Diagnostics;
using System.Globalization;
using System.IO.Pipelines;
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
    private readonly string _host;
    private readonly int _port;
    private readonly string? _password;
    private readonly TimeProvider _clock;
    private Task<Connection>? _opening;
    private int _inFlight;

    /// <summary>Makes one.</summary>
    /// <param name="address">Host and port.</param>
    /// <param name="password">What the node wants to hear first; null for nothing.</param>
    /// <param name="clock">The clock.</param>
    public NodeLink(string address, string? password, TimeProvider clock)
    {
        int colon = address.LastIndexOf(':');
        Address = address;
        _host = address[..colon].Trim('[', ']');
        _port = int.Parse(address.AsSpan(colon + 1), CultureInfo.InvariantCulture);
        _password = password;
        _clock = clock;
    }

    /// <summary>Host and port of the node.</summary>
    public string Address { get; }

    /// <summary>Calls without a reply, also those that nobody waits for any longer.</summary>
    public int InFlight => Volatile.Read(ref _inFlight);

    /// <summary>Sends a command.</summary>
    /// <param name="arguments">Its arguments; read before this returns.</param>
    /// <param name="longest">After so long without a reply the connection is given up, with all that is on it.</param>
    /// <param name="cancellationToken">Ends the waiting; the reply is passed over when it comes.</param>
    /// <returns>The reply's bytes, whatever it says.</returns>
    /// <exception cref="NodeUnreachableException">No reply came.</exception>
    public async Task<ReadOnlyMemory<byte>> CallAsync(
        IReadOnlyList<ReadOnlyMemory<byte>> arguments, TimeSpan longest, CancellationToken cancellationToken)
    {
        byte[] command = Encode(arguments);
        Interlocked.Increment(ref _inFlight);
        Connection connection;
        Task<ReadOnlyMemory<byte>> reply;
        try
        {
            connection = await OpenAsync().WaitAsync(cancellationToken);
            reply = connection.Send(command);
        }
        catch
        {
            Interlocked.Decrement(ref _inFlight);
            throw;
        }

        _ = CountReplyAsync(reply);
        try
        {
            return await reply.WaitAsync(longest, _clock, cancellationToken);
        }
        catch (TimeoutException e)
        {
            var late = new NodeUnreachableException($"{Address}: expected a reply within {longest.TotalSeconds} s, found none", e);
            connection.Fail(late);
            throw late;
        }
    }

    public async ValueTask DisposeAsync()
    {
        Task<Connection>? opening;
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

    private async Task CountReplyAsync(Task reply)
    {
        await reply.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        Interlocked.Decrement(ref _inFlight);
    }

    private Task<Connection> OpenAsync()
    {
        lock (_gate)
        {
            bool isUsable = _opening is { IsCompleted: false } || _opening is { IsCompletedSuccessfully: true, Result.HasFailed: false };
            return isUsable ? _opening! : _opening = ConnectAsync();
        }
    }

    private async Task<Connection> ConnectAsync()
    {
        // The caller holds the lock.
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        var socket = new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        try
        {
            using var longest = new CancellationTokenSource(_longestConnect, _clock);
            using var either = CancellationTokenSource.CreateLinkedTokenSource(longest.Token, _stop.Token);
            await socket.ConnectAsync(_host, _port, either.Token);
        }
        catch (Exception e) when (e is SocketException or OperationCanceledException or ObjectDisposedException)
        {
            socket.Dispose();
            throw new NodeUnreachableException($"{Address}: expected a node that can be reached: {e.Message}", e);
        }

        var connection = new Connection(Address, socket);
        if (_password is not null)
            _ = ObserveAsync(connection.Send(Encode(["AUTH"u8.ToArray(), Encoding.UTF8.GetBytes(_password)])));
        return connection;
    }

    // A wrong password shows in the replies of all that follows.
    private static async Task ObserveAsync(Task reply) => await reply.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);

    private static byte[] Encode(IReadOnlyList<ReadOnlyMemory<byte>> arguments)
    {
        var bytes = new ArrayBufferWriter<byte>(256);
        WriteLength(bytes, '*', arguments.Count);
        foreach (ReadOnlyMemory<byte> argument in arguments)
        {
            WriteLength(bytes, '$', argument.Length);
            bytes.Write(argument.Span);
            bytes.Write("\r\n"u8);
        }

        return bytes.WrittenSpan.ToArray();
    }

    private static void WriteLength(ArrayBufferWriter<byte> bytes, char type, int length)
    {
        Span<byte> line = bytes.GetSpan(24);
        line[0] = (byte)type;
        length.TryFormat(line[1..], out int digits, default, CultureInfo.InvariantCulture);
        "\r\n"u8.CopyTo(line[(1 + digits)..]);
        bytes.Advance(digits + 3);
    }

    private sealed class Connection : IDisposable
    {
        private readonly Lock _gate = new();
        private readonly Queue<TaskCompletionSource<ReadOnlyMemory<byte>>> _pending = new();
        private readonly Pipe _output = new(new PipeOptions(pauseWriterThreshold: 0));
        private readonly string _address;
        private readonly NetworkStream _stream;
        private NodeUnreachableException? _failure;

        public Connection(string address, Socket socket)
        {
            _address = address;
            _stream = new NetworkStream(socket, ownsSocket: true);
            Ended = Task.WhenAll(Task.Run(WriteAsync), Task.Run(ReadAsync));
        }

        public bool HasFailed => Volatile.Read(ref _failure) is not null;

        public Task Ended { get; }

        public void Dispose() => _stream.Dispose();

        public Task<ReadOnlyMemory<byte>> Send(byte[] command)
        {
            var reply = new TaskCompletionSource<ReadOnlyMemory<byte>>(TaskCreationOptions.RunContinuationsAsynchronously);
            lock (_gate)
            {
                if (_failure is { } failure)
                    return Task.FromException<ReadOnlyMemory<byte>>(failure);
                _pending.Enqueue(reply);

                // A pipe without a bound: its flush is done when it returns. What is sent is bounded by those who wait for replies.
                _output.Writer.Write(command);
                ValueTask<FlushResult> flush = _output.Writer.FlushAsync();
                Debug.Assert(flush.IsCompleted, "nothing pauses the writer");
            }

            return reply.Task;
        }

        public void Fail(NodeUnreachableException failure)
        {
            TaskCompletionSource<ReadOnlyMemory<byte>>[] pending;
            lock (_gate)
            {
                if (_failure is not null)
                    return;
                _failure = failure;
                pending = [.. _pending];
                _pending.Clear();
                _output.Writer.Complete();
            }

            Dispose();
            foreach (TaskCompletionSource<ReadOnlyMemory<byte>> reply in pending)
                reply.SetException(failure);
        }

        private async Task WriteAsync()
        {
            try
            {
                await _output.Reader.CopyToAsync(_stream);
            }
            catch (Exception e) when (e is IOException or SocketException or ObjectDisposedException)
            {
                Fail(new NodeUnreachableException($"{_address}: the connection failed: {e.Message}", e));
            }
            finally
            {
                await _output.Reader.CompleteAsync();
            }
        }

        private async Task ReadAsync()
        {
            var framer = new ReplyFramer();
            var input = PipeReader.Create(_stream);
            try
            {
                while (true)
                {
                    ReadResult result = await input.ReadAsync();
                    ReadOnlySequence<byte> buffer = result.Buffer;
                    while (framer.TryFind(buffer, out long length))
                    {
                        byte[] reply = buffer.Slice(0, length).ToArray();
                        buffer = buffer.Slice(length);
                        Complete(reply);
                    }

                    input.AdvanceTo(buffer.Start, buffer.End);
                    if (result.IsCompleted)
                    {
                        Fail(new NodeUnreachableException($"{_address}: the node has closed the connection"));
                        return;
                    }
                }
            }
            catch (Exception e) when (e is IOException or SocketException or ObjectDisposedException or InvalidDataException)
            {
                Fail(new NodeUnreachableException($"{_address}: the connection failed: {e.Message}", e));
            }
            finally
            {
                await input.CompleteAsync();
            }
        }

        private void Complete(byte[] bytes)
        {
            TaskCompletionSource<ReadOnlyMemory<byte>>? reply;
            lock (_gate)
            {
                if (!_pending.TryDequeue(out reply) && _failure is null)
                    throw new InvalidDataException("expected replies to commands, found one more");
            }

            reply?.SetResult(bytes);
        }
    }
}
