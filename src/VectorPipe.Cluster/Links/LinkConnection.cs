using System.Buffers;
using System.Diagnostics;
using System.Net.Sockets;

namespace VectorPipe.Cluster.Links;

/// <summary>A connection of a link: commands go out as they come, replies come back in their order. Thread-safe.</summary>
/// <remarks>
/// <para>To wake a thread costs more than a short command. So the caller itself sends, unless others are under way: then a thread of the
/// pool sends what has come together. One thread receives, without those of the runtime's sockets, which wake three for a message; if no
/// other call is under way, who waits for a reply goes on on it. If that takes long, another thread receives from then on.</para>
/// </remarks>
internal sealed class LinkConnection : IThreadPoolWorkItem, IDisposable
{
    private const int LeastBytes = 16 << 10;
    private const int MostKeptBytes = 256 << 10;
    private const int MostReplyBytes = 1 << 30;

    private static readonly TimeSpan _shortest = TimeSpan.FromMilliseconds(1);

    // How long the thread that receives may be away, with who has waited for a reply, while calls wait.
    private static readonly TimeSpan _longestAway = TimeSpan.FromMilliseconds(1);

    private readonly Lock _gate = new();
    private readonly Queue<LinkCall> _pending = new();
    private readonly string _address;
    private readonly Socket _socket;
    private readonly Action _onEnd;
    private readonly TimeProvider _clock;
    private readonly ITimer _watch;
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private NodeUnreachableException? _failure;
    private bool _isWatched;

    // Commands that wait, and those that one thread at a time sends.
    private ArrayBufferWriter<byte> _waiting = new(LeastBytes);
    private ArrayBufferWriter<byte> _sending = new(LeastBytes);
    private int _sent;
    private bool _isSending;

    // What was received and is no whole reply, from one place in the buffer to another. Of the thread that receives.
    private readonly ReplyFramer _framer = new();
    private byte[] _received = new byte[LeastBytes];
    private int _start;
    private int _end;

    // The number of that thread, of all that have received, and since when it is away.
    private readonly ITimer _awayWatch;
    private int _receiver;
    private bool _isAway;
    private bool _isAwayWatched;
    private long _leftAt;

    /// <summary>Begins to use a socket.</summary>
    /// <param name="address">Host and port, for messages.</param>
    /// <param name="socket">The socket, which is connected and does not block, and this connection's from now on.</param>
    /// <param name="onEnd">Hears of the end of each call, before who waits for it.</param>
    /// <param name="clock">The clock.</param>
    public LinkConnection(string address, Socket socket, Action onEnd, TimeProvider clock)
    {
        _address = address;
        _socket = socket;
        _onEnd = onEnd;
        _clock = clock;
        _watch = clock.CreateTimer(
            static connection => ((LinkConnection)connection!).EndLate(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        _awayWatch = clock.CreateTimer(
            static connection => ((LinkConnection)connection!).EndAway(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        StartReceiver(0);
    }

    public bool HasFailed => Volatile.Read(ref _failure) is not null;

    /// <summary>Ends when nothing more is received.</summary>
    public Task Ended => _ended.Task;

    /// <summary>Sends a command.</summary>
    /// <param name="call">Its call.</param>
    /// <param name="command">Its bytes; read before this returns.</param>
    /// <returns>Why it is not sent, and the call not ended; null if it is.</returns>
    public NodeUnreachableException? Send(LinkCall call, ReadOnlySpan<byte> command)
    {
        bool isAtOnce;
        lock (_gate)
        {
            if (_failure is { } failure)
                return failure;
            call.Sent = _clock.GetTimestamp();

            // Without memory for both there is neither: a call whose command is not sent would take the reply of the next.
            command.CopyTo(_waiting.GetSpan(command.Length));
            _pending.Enqueue(call);
            _waiting.Advance(command.Length);
            if (!_isWatched && call.IsAwaited)
            {
                _isWatched = true;
                _watch.Change(call.Longest, Timeout.InfiniteTimeSpan);
            }

            WatchAway();
            AssertInvariants();
            if (_isSending)
                return null;
            _isSending = true;
            isAtOnce = _pending.Count == 1;
        }

        // What comes while the caller sends its own command is not for it to send, too: there may be no end of it.
        if (!isAtOnce || (TryTakeWaiting() && TrySendTaken(mayWait: false) && TryTakeWaiting()))
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        return null;
    }

    /// <summary>Gives it up, with all calls on it.</summary>
    public void Fail(NodeUnreachableException failure)
    {
        LinkCall[] pending;
        lock (_gate)
        {
            if (_failure is not null)
                return;
            _failure = failure;
            pending = [.. _pending];
            _pending.Clear();
        }

        Shutdown();
        foreach (LinkCall call in pending)
        {
            _onEnd();
            call.Fail(failure);
        }
    }

    public void Dispose()
    {
        _watch.Dispose();
        _awayWatch.Dispose();
        _socket.Dispose();
    }

    void IThreadPoolWorkItem.Execute() => SendWaiting(mayWait: false);

    // Until nothing waits.
    private void SendWaiting(bool mayWait)
    {
        while (_sent < _sending.WrittenCount || TryTakeWaiting())
        {
            if (!TrySendTaken(mayWait))
                return;
        }
    }

    // False if the connection has failed, or the socket takes no more: then a thread of its own waits until it does and goes on. A few
    // nodes that take nothing would hold all threads of the pool.
    private bool TrySendTaken(bool mayWait)
    {
        try
        {
            while (_sent < _sending.WrittenCount)
            {
                _sent += _socket.Send(_sending.WrittenSpan[_sent..], SocketFlags.None, out SocketError error);
                if (error == SocketError.WouldBlock && mayWait)
                {
                    _socket.Poll(Timeout.InfiniteTimeSpan, SelectMode.SelectWrite);
                }
                else if (error == SocketError.WouldBlock)
                {
                    StartThread(() => SendWaiting(mayWait: true));
                    return false;
                }
                else if (error != SocketError.Success)
                {
                    throw new SocketException((int)error);
                }
            }

            return true;
        }
        catch (Exception e) when (e is ObjectDisposedException or SocketException or OutOfMemoryException or ThreadStartException)
        {
            FailBy(e);
            return false;
        }
    }

    // False if nothing waits: then the next caller sends.
    private bool TryTakeWaiting()
    {
        _sent = 0;
        if (_sending.Capacity > MostKeptBytes)
            _sending = new ArrayBufferWriter<byte>(LeastBytes);
        else
            _sending.ResetWrittenCount();
        lock (_gate)
        {
            _isSending = _waiting.WrittenCount > 0;
            if (_isSending)
                (_waiting, _sending) = (_sending, _waiting);
            return _isSending;
        }
    }

    private void StartReceiver(int number) => StartThread(() => Receive(number));

    private static void StartThread(ThreadStart run) =>
        new Thread(run) { IsBackground = true, Name = "vectorpipe link" }.UnsafeStart();

    private void Receive(int number)
    {
        try
        {
            while (true)
            {
                MakeRoom();
                _socket.Poll(Timeout.InfiniteTimeSpan, SelectMode.SelectRead);
                int bytes = _socket.Receive(_received.AsSpan(_end), SocketFlags.None, out SocketError error);
                if (error == SocketError.WouldBlock)
                    continue;
                if (error != SocketError.Success)
                    throw new SocketException((int)error);
                if (bytes == 0)
                    throw new EndOfStreamException("the node has closed it");
                _end += bytes;
                if (!TryTakeReplies(number))
                    return;
            }
        }
        catch (Exception e) when (e is ObjectDisposedException or SocketException or InvalidDataException or EndOfStreamException
            or OutOfMemoryException)
        {
            // Nobody else would catch it: a reply for which there is no room would end the process.
            FailBy(e);
            Dispose();
            _ended.TrySetResult();
        }
    }

    // False if another thread receives from now on.
    private bool TryTakeReplies(int number)
    {
        while (_framer.TryFind(new ReadOnlySequence<byte>(_received, _start, _end - _start), out long length))
        {
            byte[] reply = _received.AsSpan(_start, (int)length).ToArray();
            _start += (int)length;
            LinkCall? call;
            bool isAlone;
            lock (_gate)
            {
                if (!_pending.TryDequeue(out call) && _failure is null)
                    throw new InvalidDataException("expected replies to commands, found one more");
                isAlone = _pending.Count == 0 && _failure is null;
                if (isAlone)
                    (_isAway, _leftAt) = (true, _clock.GetTimestamp());
            }

            if (call is not null)
            {
                _onEnd();
                call.End(reply, mayRunHere: isAlone);
            }

            if (!isAlone)
                continue;
            lock (_gate)
            {
                if (_receiver != number)
                    return false;
                _isAway = false;
            }
        }

        return true;
    }

    // Has the time watched in which the thread that receives is away: the caller holds the lock, and a call waits.
    private void WatchAway()
    {
        if (!_isAway || _isAwayWatched)
            return;
        _isAwayWatched = true;
        _awayWatch.Change(_longestAway, Timeout.InfiniteTimeSpan);
    }

    private void EndAway()
    {
        lock (_gate)
        {
            _isAwayWatched = false;
            if (!_isAway || _pending.Count == 0 || _failure is not null)
                return;
            if (_clock.GetElapsedTime(_leftAt) < _longestAway || !TryStartReceiver(_receiver + 1))
            {
                WatchAway();
                return;
            }

            // The one that is away ends when it comes back.
            _isAway = false;
            _receiver++;
        }
    }

    // False if the system has no thread: then the one that is away receives when it comes back.
    private bool TryStartReceiver(int number)
    {
        try
        {
            StartReceiver(number);
            return true;
        }
        catch (Exception e) when (e is OutOfMemoryException or ThreadStartException)
        {
            return false;
        }
    }

    private void MakeRoom()
    {
        int length = _end - _start;
        if (_end < _received.Length && length > 0)
            return;
        byte[] from = _received;
        if (length == 0 && from.Length > MostKeptBytes)
            _received = new byte[LeastBytes];
        else if (length >= MostReplyBytes)
            throw new InvalidDataException($"expected a reply of less than {MostReplyBytes} bytes, found one of more");
        else if (length == from.Length)
            _received = new byte[2 * length];
        from.AsSpan(_start, length).CopyTo(_received);
        (_start, _end) = (0, length);
    }

    // Wakes those who wait for the socket. The thread that receives closes it: closed under it, the socket would reset the connection.
    private void Shutdown()
    {
        try
        {
            _socket.Shutdown(SocketShutdown.Both);
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            // The other end was faster.
        }
    }

    private void FailBy(Exception reason) =>
        Fail(new NodeUnreachableException($"{_address}: the connection failed: {reason.Message}", reason));

    // Looks for calls that were waited for too long. Those that nobody waits for may take longer.
    private void EndLate()
    {
        TimeSpan? late = null;
        lock (_gate)
        {
            TimeSpan least = TimeSpan.MaxValue;
            foreach (LinkCall call in _pending)
            {
                if (!call.IsAwaited)
                    continue;
                TimeSpan left = call.Longest - _clock.GetElapsedTime(call.Sent);
                if (left <= TimeSpan.Zero)
                    late ??= call.Longest;
                least = left < least ? left : least;
            }

            _isWatched = least < TimeSpan.MaxValue && _failure is null;
            if (_isWatched && late is null)
                _watch.Change(least > _shortest ? least : _shortest, Timeout.InfiniteTimeSpan);
            AssertInvariants();
        }

        if (late is { } longest)
            Fail(new NodeUnreachableException($"{_address}: expected a reply within {longest.TotalSeconds} s, found none"));
    }

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        Debug.Assert(_failure is null || _pending.Count == 0, "a connection that has failed has ended its calls");
        Debug.Assert(_isWatched || _pending.All(call => !call.IsAwaited), "a call that is waited for is watched");
    }
}
