using System.Buffers;
using System.Diagnostics;
using System.IO.Pipelines;
using System.Threading.Channels;
using Microsoft.AspNetCore.Connections;
using VectorPipe.Server.Commands;
using VectorPipe.Server.Resp;

namespace VectorPipe.Server.Connections;

/// <summary>Reads the commands of a client, runs them, and writes replies in the order of the commands.</summary>
/// <remarks>
/// <para>Up to <see cref="MostCalls"/> commands are on their way at once, so that one client that does not wait for replies keeps the
/// device busy. Reads run beside reads, writes of elements beside those of other elements; all else runs alone.</para>
/// <para>A client that does not read its replies is not read from either, once so many are waiting.</para>
/// </remarks>
internal sealed class CommandLoop
{
    private const int MostCalls = 64;

    // Replies are sent when so many bytes have come together, or when the next one is not ready.
    private const int FlushBytes = 32 << 10;

    // A client that takes nothing for so long is closed.
    private static readonly TimeSpan _longestFlush = TimeSpan.FromSeconds(30);

    private readonly ServerState _server;
    private readonly ClientSession _session;
    private readonly PipeReader _input;
    private readonly PipeWriter _output;
    private readonly CancellationToken _closed;
    private readonly RespParser _parser = new();

    // Calls that nobody uses, and those that were started, in order.
    private readonly Channel<Call> _free = Channel.CreateBounded<Call>(MostCalls);
    private readonly Channel<Call> _started = Channel.CreateBounded<Call>(MostCalls);

    // Tasks of calls that may still run, and numbers of the elements that they write. A call itself may be another command's by now.
    private readonly List<(Task Task, int Element)> _running = [];
    private CommandKind _runningKind = CommandKind.Read;
    private int _calls;

    public CommandLoop(ServerState server, ClientSession session, ConnectionContext connection)
    {
        _server = server;
        _session = session;
        _input = connection.Transport.Input;
        _output = connection.Transport.Output;
        _closed = connection.ConnectionClosed;
    }

    /// <summary>Runs until the client goes or is to go.</summary>
    public async Task RunAsync()
    {
        Task writing = WriteRepliesAsync();
        try
        {
            await ReadCommandsAsync(writing);
        }
        finally
        {
            _started.Writer.Complete();
            await writing;
        }
    }

    private async Task ReadCommandsAsync(Task writing)
    {
        Call? call = null;
        while (!writing.IsCompleted)
        {
            ReadResult result = await _input.ReadAsync(_closed);
            ReadOnlySequence<byte> buffer = result.Buffer;
            bool isEnd = result.IsCompleted;
            try
            {
                while (!_session.IsClosing)
                {
                    call ??= await TakeCallAsync();
                    _parser.Limits = _session.Limits;
                    if (!_parser.TryRead(ref buffer, call.Command))
                        break;
                    await StartAsync(call);
                    call = null;
                }
            }
            catch (RespProtocolException e)
            {
                ServerLog.ClientClosed(_server.Logger, _session.Id, _session.Address, e.Message);
                call!.Reply.Error("ERR " + e.Message);
                await FinishRunningAsync();
                await _started.Writer.WriteAsync(call, _closed);
                return;
            }
            finally
            {
                _input.AdvanceTo(buffer.Start, buffer.End);
            }

            if (isEnd || _session.IsClosing)
                return;
        }
    }

    private async ValueTask<Call> TakeCallAsync()
    {
        if (_free.Reader.TryRead(out Call? call))
            return call;
        if (_calls < MostCalls)
        {
            _calls++;
            return new Call(_server, _session) { Stop = _closed };
        }

        return await _free.Reader.ReadAsync(_closed);
    }

    private async ValueTask StartAsync(Call call)
    {
        _server.CountCommand();
        CommandInfo? info = CommandInfo.Find(call.Command[0]);
        CommandKind kind = info?.Kind ?? CommandKind.Control;
        int element = kind == CommandKind.Put ? VectorWrites.ElementHash(call.Command) : 0;
        if (_running.Count > 0 && !MayRunBeside(kind, element))
            await FinishRunningAsync();
        call.Reply.Version = _session.Version;
        call.Task = CommandRunner.RunAsync(info, call);
        if (kind == CommandKind.Control)
        {
            Debug.Assert(_running.Count == 0, "it runs alone");
            await call.Task;
        }
        else
        {
            _running.Add((call.Task, element));
            _runningKind = kind;
        }

        await _started.Writer.WriteAsync(call, _closed);
    }

    private bool MayRunBeside(CommandKind kind, int element)
    {
        _running.RemoveAll(static one => one.Task.IsCompleted);
        if (_running.Count == 0)
            return true;
        bool isOther = kind != CommandKind.Put || !_running.Exists(one => one.Element == element);
        return kind != CommandKind.Control && kind == _runningKind && isOther;
    }

    private async Task FinishRunningAsync()
    {
        foreach ((Task task, _) in _running)
            await task;
        _running.Clear();
    }

    private async Task WriteRepliesAsync()
    {
        long unsent = 0;
        try
        {
            while (await _started.Reader.WaitToReadAsync())
            {
                while (_started.Reader.TryRead(out Call? call))
                {
                    if (unsent > 0 && !call.Task.IsCompleted)
                        unsent = await FlushAsync();
                    await call.Task;
                    _output.Write(call.Reply.Written);
                    unsent += call.Reply.Written.Length;
                    call.Clear();
                    _free.Writer.TryWrite(call);
                    if (unsent >= FlushBytes)
                        unsent = await FlushAsync();
                }

                unsent = await FlushAsync();
            }
        }
        catch (Exception e) when (e is ConnectionResetException or ConnectionAbortedException or OperationCanceledException)
        {
            // The client has gone. What runs for it is cancelled by the same token; the reader sees the end, too.
        }
    }

    private async ValueTask<long> FlushAsync()
    {
        ValueTask<FlushResult> flush = _output.FlushAsync(_closed);
        if (!flush.IsCompletedSuccessfully)
        {
            try
            {
                await flush.AsTask().WaitAsync(_longestFlush, _server.Clock, _closed);
            }
            catch (TimeoutException)
            {
                string reason = $"it took no bytes for {_longestFlush.TotalSeconds} s";
                ServerLog.ClientClosed(_server.Logger, _session.Id, _session.Address, reason);
                _session.Abort(reason);
                throw new ConnectionAbortedException(reason);
            }
        }

        return 0;
    }
}
