using System.Buffers;
using System.Threading.Channels;

namespace VectorPipe.Cluster.Log;

/// <summary>Writes the records of many callers to the log of a shard, in batches, one after another.</summary>
/// <remarks>
/// <para>While a batch is on its way, further records gather; a second batch at the same time would only wait for the first one's lock.
/// A batch whose outcome is unknown is sent again until the log answers: it is written once all the same. Its callers are told when
/// patience ends, or four seconds later if the log says nothing meanwhile, and no other batch goes before it has an answer: it might
/// land behind them. It is given up only when the log has deleted the part in which it would be. Those that wait for it end when their
/// patience does, and nothing is kept of them.</para>
/// <para>Thread-safe.</para>
/// </remarks>
internal sealed class ShardAppender : IAsyncDisposable
{
    /// <summary>Bytes at which a batch is full; one record may be longer.</summary>
    public const int MostBytes = 256 << 10;

    private const int MostRecords = 4096;

    // For a connection and a command, as connection strings bound them by default, behind a patience of two seconds.
    private static readonly TimeSpan _longestAnswer = TimeSpan.FromSeconds(4);

    private static readonly TimeSpan _shortestPause = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan _longestPause = TimeSpan.FromMilliseconds(500);

    private readonly Lock _gate = new();

    // Those that are in no batch yet. As many as callers, each of which would hold its record elsewhere if there was no room here.
    private readonly LinkedList<Waiting> _waiting = [];

    // Says that there are some; complete when there will be none any more.
    private readonly Channel<bool> _arrivals = Channel.CreateBounded<bool>(
        new BoundedChannelOptions(1) { FullMode = BoundedChannelFullMode.DropWrite });

    private readonly CancellationTokenSource _stop = new();
    private readonly ArrayBufferWriter<byte> _payload = new();
    private readonly IShardLog _log;
    private readonly long _shard;

    // Nobody else has it, not even one of the same shard before or behind this one: sequences are its own.
    private readonly Guid _writer = Guid.NewGuid();
    private readonly TimeSpan _patience;
    private readonly TimeProvider _clock;
    private readonly Action<LogEntry>? _written;
    private readonly Task _running;
    private long? _known;
    private long _sequence;

    /// <summary>Begins.</summary>
    /// <param name="log">The log.</param>
    /// <param name="shard">The shard.</param>
    /// <param name="patience">How long a batch is sent again before its callers are told.</param>
    /// <param name="clock">The clock.</param>
    /// <param name="written">Receives what was written, in order, before its callers are told; null for nobody.</param>
    public ShardAppender(IShardLog log, long shard, TimeSpan patience, TimeProvider clock, Action<LogEntry>? written = null)
    {
        _written = written;
        _log = log;
        _shard = shard;
        _patience = patience;
        _clock = clock;
        _running = RunAsync();
    }

    /// <summary>Records that are in no batch yet.</summary>
    public int WaitingRecords
    {
        get
        {
            lock (_gate)
                return _waiting.Count;
        }
    }

    /// <summary>Writes a record.</summary>
    /// <returns>Where it is; null if there is no such shard.</returns>
    /// <exception cref="LogUnavailableException">It was not written.</exception>
    /// <exception cref="LogOutcomeUnknownException">It may have been written, or may be yet.</exception>
    public async Task<WrittenRecord?> AppendAsync(LogRecord record, CancellationToken cancellationToken)
    {
        var waiting = new Waiting(record);
        LinkedListNode<Waiting> place;
        lock (_gate)
        {
            if (!_arrivals.Writer.TryWrite(true))
                throw new LogUnavailableException($"The log of shard {_shard} is closed.");
            place = _waiting.AddLast(waiting);
        }

        try
        {
            return await waiting.Written.Task.WaitAsync(_patience, _clock, cancellationToken);
        }
        catch (Exception e) when ((e is TimeoutException or OperationCanceledException) && TryCancel(place))
        {
            if (e is OperationCanceledException)
                throw;
            throw new LogUnavailableException($"The log of shard {_shard} was not reached within {_patience.TotalSeconds} s.", e);
        }
        catch (TimeoutException)
        {
            return await AwaitAnswerAsync(waiting, cancellationToken);
        }
    }

    /// <summary>Writes what waits, and ends.</summary>
    public async ValueTask DisposeAsync()
    {
        lock (_gate)
            _arrivals.Writer.TryComplete();
        await _stop.CancelAsync();
        await _running;
        _stop.Dispose();
    }

    // It is on its way. A log that says nothing may hold the batch for longer than its callers are to wait.
    private async Task<WrittenRecord?> AwaitAnswerAsync(Waiting waiting, CancellationToken cancellationToken)
    {
        try
        {
            return await waiting.Written.Task.WaitAsync(_longestAnswer, _clock, cancellationToken);
        }
        catch (TimeoutException e)
        {
            throw new LogOutcomeUnknownException(
                $"The log of shard {_shard} has not answered within {(_patience + _longestAnswer).TotalSeconds} s.", e);
        }
    }

    private async Task RunAsync()
    {
        var batch = new List<Waiting>();
        while (await _arrivals.Reader.WaitToReadAsync())
        {
            // Before they are taken: who comes behind that says so again.
            _arrivals.Reader.TryRead(out _);
            for (Take(batch); batch.Count > 0; Take(batch))
            {
                await SendAsync(batch);
                batch.Clear();
            }
        }
    }

    private void Take(List<Waiting> batch)
    {
        _payload.ResetWrittenCount();
        LogBatchCodec.Begin(_payload);
        lock (_gate)
        {
            while (batch.Count < MostRecords && _payload.WrittenCount < MostBytes && _waiting.First is { } first)
            {
                _waiting.RemoveFirst();
                LogBatchCodec.Add(_payload, first.Value.Record);
                batch.Add(first.Value);
            }
        }
    }

    // Gives up one that waits; false if it is in a batch.
    private bool TryCancel(LinkedListNode<Waiting> place)
    {
        lock (_gate)
        {
            bool isWaiting = place.List is not null;
            if (isWaiting)
                _waiting.Remove(place);
            return isWaiting;
        }
    }

    private async Task SendAsync(List<Waiting> records)
    {
        long sequence = ++_sequence;
        long start = _clock.GetTimestamp();
        bool mayBeThere = false, isLost = false;

        // Of this batch for good: a command that was left behind may still send it.
        byte[] payload = _payload.WrittenSpan.ToArray();
        for (TimeSpan pause = _shortestPause; ; pause = TimeSpan.FromTicks(Math.Min(2 * pause.Ticks, _longestPause.Ticks)))
        {
            Exception failure;
            try
            {
                _known ??= await ReadHeadAsync();
                var batch = new LogBatch(_writer, sequence, records.Count, payload, _known.Value);
                LogPlace? end = await _log.AppendAsync(_shard, batch, CancellationToken.None);
                _known = end?.Position ?? _known;
                WrittenBatch? written = end is { } place ? new WrittenBatch(place, records.Count) : null;
                if (written is not null)
                    _written?.Invoke(new LogEntry(written.First, written.Count, written.End.Chain, payload));
                for (int i = 0; i < records.Count; i++)
                    records[i].Written.TrySetResult(written is null ? null : new WrittenRecord(written, i));
                return;
            }
            catch (LogTrimmedException e) when (!mayBeThere)
            {
                // Others have written much since; of this batch nothing is on its way.
                failure = new LogUnavailableException(e.Message, e);
                _known = null;
            }
            catch (LogTrimmedException e)
            {
                failure = new LogOutcomeUnknownException($"{e.Message} Whether the write is one of them is not known.", e);
                isLost = true;
            }
            catch (LogUnavailableException e)
            {
                failure = mayBeThere ? new LogOutcomeUnknownException(e.Message, e) : e;
            }
            catch (LogOutcomeUnknownException e)
            {
                failure = e;
                mayBeThere = true;
            }

            if (isLost || _stop.IsCancellationRequested || _clock.GetElapsedTime(start) + pause >= _patience)
            {
                foreach (Waiting waiting in records)
                    waiting.Written.TrySetException(failure);
                if (isLost || !mayBeThere || _stop.IsCancellationRequested)
                    return;
            }

            await Task.Delay(pause, _clock, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    // A position that the log has before anything of this one: what is sent twice is found behind it.
    private async Task<long> ReadHeadAsync() =>
        (await _log.HeadsAsync([_shard], CancellationToken.None)).GetValueOrDefault(_shard).End.Position;

    private sealed class Waiting(LogRecord record)
    {
        public LogRecord Record { get; } = record;

        public TaskCompletionSource<WrittenRecord?> Written { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);
    }
}
