using System.Buffers;
using System.Diagnostics;
using System.Threading.Channels;

namespace VectorPipe.Cluster.Log;

/// <summary>Writes the records of many callers to the log of a shard, in batches, one after another.</summary>
/// <remarks>
/// <para>While a batch is on its way, further records gather; a second batch at the same time would only wait for the first one's lock.
/// A batch whose outcome is unknown is sent again until the log answers or patience ends: it is written once all the same.</para>
/// <para>Thread-safe.</para>
/// </remarks>
internal sealed class ShardAppender : IAsyncDisposable
{
    /// <summary>Bytes at which a batch is full; one record may be longer.</summary>
    public const int MostBytes = 256 << 10;

    private const int MostRecords = 4096;
    private const int MostWaiting = 65_536;

    private static readonly TimeSpan _shortestPause = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan _longestPause = TimeSpan.FromMilliseconds(500);

    private readonly Channel<Waiting> _waiting = Channel.CreateBounded<Waiting>(MostWaiting);
    private readonly CancellationTokenSource _stop = new();
    private readonly ArrayBufferWriter<byte> _payload = new();
    private readonly IShardLog _log;
    private readonly long _shard;
    private readonly Guid _writer;
    private readonly TimeSpan _patience;
    private readonly TimeProvider _clock;
    private readonly Task _running;
    private long _sequence;

    /// <summary>Begins.</summary>
    /// <param name="log">The log.</param>
    /// <param name="shard">The shard.</param>
    /// <param name="writer">Who writes; nobody else writes to this shard by the same name.</param>
    /// <param name="patience">How long a batch is sent again before its callers are told.</param>
    /// <param name="clock">The clock.</param>
    public ShardAppender(IShardLog log, long shard, Guid writer, TimeSpan patience, TimeProvider clock)
    {
        _log = log;
        _shard = shard;
        _writer = writer;
        _patience = patience;
        _clock = clock;
        _running = RunAsync();
    }

    /// <summary>Writes a record.</summary>
    /// <returns>Its position; null if there is no such shard.</returns>
    /// <exception cref="LogUnavailableException">It was not written.</exception>
    /// <exception cref="LogOutcomeUnknownException">It may have been written, or may be yet.</exception>
    public async Task<long?> AppendAsync(LogRecord record, CancellationToken cancellationToken)
    {
        var waiting = new Waiting(record);
        try
        {
            await _waiting.Writer.WriteAsync(waiting, cancellationToken);
        }
        catch (ChannelClosedException e)
        {
            throw new LogUnavailableException($"The log of shard {_shard} is closed.", e);
        }

        return await waiting.Position.Task;
    }

    /// <summary>Writes what waits, and ends.</summary>
    public async ValueTask DisposeAsync()
    {
        _waiting.Writer.TryComplete();
        await _stop.CancelAsync();
        await _running;
        _stop.Dispose();
    }

    private async Task RunAsync()
    {
        var batch = new List<Waiting>();
        while (await _waiting.Reader.WaitToReadAsync())
        {
            _payload.ResetWrittenCount();
            LogBatchCodec.Begin(_payload);
            while (batch.Count < MostRecords && _payload.WrittenCount < MostBytes && _waiting.Reader.TryRead(out Waiting? next))
            {
                LogBatchCodec.Add(_payload, next.Record);
                batch.Add(next);
            }

            await SendAsync(batch);
            batch.Clear();
        }
    }

    private async Task SendAsync(List<Waiting> records)
    {
        var batch = new LogBatch(_writer, ++_sequence, records.Count, _payload.WrittenMemory);
        try
        {
            long? first = await SendUntilAnsweredAsync(batch);
            for (int i = 0; i < records.Count; i++)
                records[i].Position.SetResult(first + i);
        }
        catch (Exception e)
        {
            // Each caller is told; the next batch has its own fate.
            foreach (Waiting waiting in records)
                waiting.Position.SetException(e);
        }
    }

    private async Task<long?> SendUntilAnsweredAsync(LogBatch batch)
    {
        Debug.Assert(batch.Count > 0, "a batch has records");
        long start = _clock.GetTimestamp();
        bool isUnknown = false;
        for (TimeSpan pause = _shortestPause; ; pause = TimeSpan.FromTicks(Math.Min(2 * pause.Ticks, _longestPause.Ticks)))
        {
            try
            {
                return await _log.AppendAsync(_shard, batch, CancellationToken.None);
            }
            catch (LogOutcomeUnknownException) when (MayWait(start, pause))
            {
                isUnknown = true;
            }
            catch (LogUnavailableException) when (MayWait(start, pause))
            {
                // Nothing of this attempt; of one before, perhaps.
            }
            catch (LogUnavailableException e) when (isUnknown)
            {
                throw new LogOutcomeUnknownException(e.Message, e);
            }

            await Task.Delay(pause, _clock, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    private bool MayWait(long start, TimeSpan pause) =>
        !_stop.IsCancellationRequested && _clock.GetElapsedTime(start) + pause < _patience;

    private sealed class Waiting(LogRecord record)
    {
        public LogRecord Record { get; } = record;

        public TaskCompletionSource<long?> Position { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);
    }
}
