using System.Buffers;
using System.IO.Pipelines;
using System.Threading.Channels;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using VectorPipe.Server.Commands;
using VectorPipe.Server.Resp;

namespace VectorPipe.Server.Connections;

/// <summary>Reads the commands of a client, runs them, and writes replies in the order of the commands.</summary>
/// <remarks>
/// <para>Many commands are on their way at once, so that one client that does not wait for replies keeps the
/// device busy. Reads run beside reads, writes of elements beside those of other elements; all else runs alone.</para>
/// <para>A client that does not read its replies is not read from either, once so many are waiting.</para>
/// </remarks>
internal sealed class CommandLoop : IDisposable
{
    // Replies are sent when so many bytes have come together, or when the next one is not ready.
    private const int FlushBytes = 32 << 10;

    // When the reader itself has carried out commands for so long, as those that need no device, they are answered, and other clients
    // have the thread before the next one.
    private static readonly TimeSpan _longestTurn = TimeSpan.FromMilliseconds(1);

    private readonly ServerState _server;
    private readonly ClientSession _session;
    private readonly PipeReader _input;
    private readonly PipeWriter _output;
    private readonly IConnectionLifetimeNotificationFeature? _lifetime;

    // Cancelled when nobody takes replies any more. A client that only sends no more still does.
    private readonly CancellationTokenSource _gone = new();
    private readonly RespParser _parser = new();

    // Calls that nobody uses, and those that were started, in order.
    private readonly Channel<Call> _free;
    private readonly StartedCalls _started;

    private readonly RunningCalls _running;
    private readonly ConnectionWatch _watch;

    // A client that takes nothing for so long is closed.
    private readonly TimeSpan _longestFlush;
    private int _calls;
    private TimeSpan _turn;

    public CommandLoop(ServerState server, ClientSession session, ConnectionContext connection)
    {
        _server = server;
        _session = session;
        _longestFlush = TimeSpan.FromSeconds(server.Options.OutputSeconds);
        _free = Channel.CreateBounded<Call>(server.Options.ClientPipeline);
        _started = new StartedCalls(server.Options.ClientPipeline);
        _running = new RunningCalls(server.Options.CommandBytes);
        _input = connection.Transport.Input;
        _output = connection.Transport.Output;
        _lifetime = connection.Features.Get<IConnectionLifetimeNotificationFeature>();
        _watch = new ConnectionWatch(server, session, () => _running.HasAny || session.UnsentBytes > 0, Close);
    }

    /// <summary>Runs until the client goes or is to go.</summary>
    public async Task RunAsync()
    {
        // The server stops: what was read is answered, and a client that is silent is not waited for.
        using CancellationTokenRegistration stopping = _lifetime?.ConnectionClosedRequested.Register(Close) ?? default;
        Task writing = WriteRepliesAsync();
        try
        {
            await ReadCommandsAsync(writing);
        }
        catch
        {
            await _gone.CancelAsync();
            throw;
        }
        finally
        {
            _started.Complete();
            await writing;

            // Sets may be closed only when nothing uses them.
            await _running.WaitAsync();
        }
    }

    public void Dispose()
    {
        _watch.Dispose();
        _gone.Dispose();
    }

    private void Close()
    {
        _session.IsClosing = true;
        _input.CancelPendingRead();
    }

    private async Task ReadCommandsAsync(Task writing)
    {
        Call? call = null;
        while (!writing.IsCompleted)
        {
            _started.Wake();
            ReadResult result = await _input.ReadAsync(_gone.Token);
            _watch.Touch();
            ReadOnlySequence<byte> buffer = result.Buffer;
            try
            {
                while (!_session.IsClosing)
                {
                    call ??= await TakeCallAsync();
                    _parser.Limits = _session.Limits;
                    if (!_parser.TryRead(ref buffer, call.Command))
                        break;

                    // As Redis does: a page in a browser must not send commands to a server of this machine.
                    if (call.Command.Is(0, "POST") || call.Command.Is(0, "HOST:"))
                        throw new RespProtocolException("expected commands of Redis, found HTTP");
                    await StartAsync(call);
                    call = null;
                }
            }
            catch (RespProtocolException e)
            {
                ServerLog.ClientClosed(_server.Logger, _session.Id, _session.Address, e.Message);
                call!.Reply.Error("ERR " + e.Message);
                _session.CountReply(call.Reply.Written.Length);
                _started.Add(call);
                return;
            }
            finally
            {
                _input.AdvanceTo(buffer.Start, buffer.End);
            }

            if (result.IsCompleted || _session.IsClosing)
                return;
        }
    }

    private async ValueTask<Call> TakeCallAsync()
    {
        Call? call = null;
        // One reply may be longer.
        while (_session.UnsentBytes > _server.Options.OutputBufferBytes)
        {
            _started.Wake();

            // One comes back when its reply was sent. A client that is slow does not need all of them.
            Call sent = await _free.Reader.ReadAsync(_gone.Token);
            _calls -= call is null ? 0 : 1;
            call = sent;
        }

        if (call is not null || _free.Reader.TryRead(out call))
            return call;
        if (_calls < _server.Options.ClientPipeline)
        {
            _calls++;
            return new Call(_server, _session) { Stop = _gone.Token };
        }

        _started.Wake();
        return await _free.Reader.ReadAsync(_gone.Token);
    }

    private async ValueTask StartAsync(Call call)
    {
        _server.CountCommand();
        CommandInfo? info = CommandInfo.Find(call.Command[0]);
        CommandKind kind = info?.Kind ?? CommandKind.Control;
        int element = kind == CommandKind.Put ? VectorWrites.ElementHash(call.Command) : 0;
        if (!_running.MayBegin(kind, element, call.Command.Length))
        {
            _started.Wake();
            await _running.WaitAsync();
        }

        call.Reply.Version = _session.Version;
        _running.Begin(call, kind, element);
        long began = _server.Clock.GetTimestamp();
        call.Run(info, _running);
        if (kind == CommandKind.Control)
        {
            if (!call.HasEnded)
                _started.Wake();
            await _running.WaitAsync();
        }

        _started.Add(call);

        _turn += _server.Clock.GetElapsedTime(began);
        if (_turn <= _longestTurn)
            return;
        _turn = default;
        _started.Wake();

        // What the client sends meanwhile is received on this thread, too: without a pause it would have it for ever.
        await Task.Yield();
    }

    private async Task WriteRepliesAsync()
    {
        int unsent = 0;
        try
        {
            while (await _started.WaitAsync())
            {
                while (_started.TryTake(out Call? call))
                {
                    if (unsent > 0 && !call.HasEnded)
                        unsent = await FlushAsync();
                    await call.EndAsync();
                    unsent = await WriteAsync(call.Reply, unsent);
                    _session.CountReply(-call.Reply.Written.Length);
                    call.Clear();
                    _free.Writer.TryWrite(call);
                }

                unsent = await FlushAsync();
            }
        }
        catch (Exception e) when (e is ConnectionResetException or ConnectionAbortedException or OperationCanceledException)
        {
            // The client has gone: nothing more is done for it, and the reader must see it, too.
            await _gone.CancelAsync();
        }
    }

    // In pieces, each of which must be taken within the longest time: a long reply may take longer.
    private async ValueTask<int> WriteAsync(RespWriter reply, int unsent)
    {
        for (int at = 0; at < reply.Written.Length;)
        {
            int piece = Math.Min(FlushBytes - unsent, reply.Written.Length - at);
            _output.Write(reply.Written.Slice(at, piece));
            at += piece;
            unsent += piece;
            if (unsent == FlushBytes)
                unsent = await FlushAsync();
        }

        return unsent;
    }

    private async ValueTask<int> FlushAsync()
    {
        _watch.Touch();
        ValueTask<FlushResult> flush = _output.FlushAsync(_gone.Token);
        FlushResult result;
        if (flush.IsCompletedSuccessfully)
        {
            result = flush.Result;
        }
        else
        {
            try
            {
                result = await flush.AsTask().WaitAsync(_longestFlush, _server.Clock, _gone.Token);
            }
            catch (TimeoutException)
            {
                string reason = $"it took no bytes for {_longestFlush.TotalSeconds} s";
                ServerLog.ClientClosed(_server.Logger, _session.Id, _session.Address, reason);
                _session.Abort(reason);
                throw new ConnectionAbortedException(reason);
            }
        }

        return result.IsCompleted ? throw new ConnectionAbortedException("the client has gone") : 0;
    }
}
