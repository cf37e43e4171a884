using System.Buffers;
using System.IO.Pipelines;
using Microsoft.AspNetCore.Connections;
using Microsoft.Extensions.Logging.Abstractions;
using NUnit.Framework;
using VectorPipe.Server.Access;
using VectorPipe.Server.Connections;

namespace VectorPipe.Server.Tests.Clients;

/// <summary>The thread that reads the commands of a client.</summary>
internal sealed class CommandLoopTests
{
    [Test]
    public async Task A_client_that_sends_without_a_pause_gives_the_thread_back()
    {
        const int commands = 20_000;
        var clock = new ClockOfOneThread();
        AccessList access = AccessList.Open(password: null, file: null, clock);
        using var places = new SemaphoreSlim(1, 1);
        using var cursors = new ClientCursors(clock, places);
        var state = new ServerState(new ServerOptions(), null!, access, NullLogger.Instance, clock);
        var options = new PipeOptions(
            readerScheduler: PipeScheduler.Inline, writerScheduler: PipeScheduler.Inline, pauseWriterThreshold: 0,
            useSynchronizationContext: false);
        Pipe input = new(options), output = new(options);
        for (int i = 0; i < commands; i++)
            input.Writer.Write("*1\r\n$4\r\nPING\r\n"u8);
        await input.Writer.CompleteAsync();
        var connection = new DefaultConnectionContext { Transport = new Duplex(input.Reader, output.Writer) };
        var session = new ClientSession(1, connection, state, cursors);
        using var loop = new CommandLoop(state, session, connection);

        clock.Begin();
        Task running = loop.RunAsync();
        long readings = clock.End();
        await running;
        await output.Writer.CompleteAsync();
        ReadResult replies = await output.Reader.ReadAtLeastAsync(int.MaxValue);

        Assert.That(replies.Buffer.Length, Is.EqualTo(commands * (long)"+PONG\r\n".Length));
        Assert.That(readings, Is.Positive.And.LessThan(commands), "the clock is read for each command");
    }

    private sealed record Duplex(PipeReader Input, PipeWriter Output) : IDuplexPipe;

    /// <summary>A clock that goes on by a microsecond when it is read, and counts how often one thread does that.</summary>
    private sealed class ClockOfOneThread : TimeProvider
    {
        private long _time;
        private int _thread;
        private long _readings;

        public override long TimestampFrequency => 1_000_000;

        public void Begin() => Volatile.Write(ref _thread, Environment.CurrentManagedThreadId);

        public long End()
        {
            Volatile.Write(ref _thread, 0);
            return _readings;
        }

        public override long GetTimestamp()
        {
            if (Volatile.Read(ref _thread) == Environment.CurrentManagedThreadId)
                _readings++;
            return Interlocked.Increment(ref _time);
        }
    }
}
