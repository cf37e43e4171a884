using System.Diagnostics;
using System.Text;
using Microsoft.Extensions.Logging;
using VectorPipe.Cluster.Log;

namespace VectorPipe.Cluster.Replicas;

/// <summary>Applies the log of a shard to its replica on this node, record by record and in order.</summary>
/// <remarks>Reads when it is told that there is more. Thread-safe.</remarks>
internal sealed class ShardFollower : IAsyncDisposable
{
    private const int ReadBytes = 1 << 20;

    // Outcomes of the last records; those who wrote them ask at once.
    private const int KeptOutcomes = 1 << 14;

    private const int RecordsBetweenSaves = 20_000;
    private const int KeptPlaces = 4096;
    private const int MostOffered = 64;
    private const int MostAtOnce = 64;

    private static readonly TimeSpan _betweenSaves = TimeSpan.FromSeconds(1);
    private static readonly Task<bool> _isMarked = Task.FromResult(true);
    private static readonly TimeSpan _pause = TimeSpan.FromMilliseconds(200);

    private readonly Lock _gate = new();
    private readonly bool[] _outcomes = new bool[KeptOutcomes];
    private readonly PriorityQueue<TaskCompletionSource, long> _waiters = new();
    private readonly LogPlace[] _places = new LogPlace[KeptPlaces];
    private readonly Queue<LogEntry> _offered = new();
    private readonly CancellationTokenSource _stop = new();
    private readonly IShardLog _log;
    private readonly IShardStore _store;
    private readonly ILogger _logger;
    private readonly TimeProvider _clock;
    private readonly Task _running;
    private TaskCompletionSource _poked = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private long _known;
    private long _applied;
    private LogPlace _end;
    private LogPlace _saved;
    private long _batches;
    private long _savedAt;
    private ReplicaException? _failure;

    /// <summary>Begins behind what the store has saved.</summary>
    public ShardFollower(IShardLog log, long shard, IShardStore store, ILogger logger, TimeProvider clock)
    {
        Shard = shard;
        _log = log;
        _store = store;
        _logger = logger;
        _clock = clock;
        _end = _saved = _places[0] = store.Saved;
        First = _known = _applied = _end.Position;
        _running = RunAsync();
    }

    /// <summary>The shard.</summary>
    public long Shard { get; }

    /// <summary>The position that it began behind.</summary>
    public long First { get; }

    /// <summary>The position up to which all is applied.</summary>
    public long Applied => Volatile.Read(ref _applied);

    /// <summary>The place behind the last batch that is applied.</summary>
    public LogPlace End
    {
        get
        {
            lock (_gate)
                return _end;
        }
    }

    /// <summary>The place up to which all is on the disk.</summary>
    public LogPlace Saved
    {
        get
        {
            lock (_gate)
                return _saved;
        }
    }

    /// <summary>Why it has ended; null while it follows.</summary>
    public ReplicaException? Failure => Volatile.Read(ref _failure);

    /// <summary>Whether a place is one that was passed lately: the log up to there is one that was applied.</summary>
    public bool HasPassed(LogPlace place)
    {
        lock (_gate)
            return IsPassed(place);
    }

    /// <summary>Gives a batch that is in the log: it need not be read. Those of a writer come in order.</summary>
    public void Offer(LogEntry entry)
    {
        bool isStrange;
        lock (_gate)
        {
            // Another record has its position here: whoever wrote it must not be given the outcome of that one.
            LogPlace oldest = _batches < KeptPlaces ? _places[0] : _places[(_batches + 1) % KeptPlaces];
            isStrange = entry.Last <= _applied && entry.Last >= oldest.Position && !IsPassed(new LogPlace(entry.Last, entry.Chain));
            if (!isStrange && _offered.Count < MostOffered)
                _offered.Enqueue(entry);
        }

        if (isStrange)
        {
            var other = new LogDivergedException($"shard {Shard}: position {entry.Last} of the log is another record than the one applied");
            Fail(new ReplicaException(other.Message, other));
            return;
        }

        Poke(entry.Last);
    }

    /// <summary>Says that the log has positions up to this one.</summary>
    public void Poke(long position)
    {
        TaskCompletionSource poked;
        lock (_gate)
        {
            if (position <= _known)
                return;
            _known = position;
            poked = _poked;
        }

        poked.TrySetResult();
    }

    /// <summary>Waits until a position is applied; says at once that it is there.</summary>
    /// <returns>The outcome of its record; null if it is too long ago.</returns>
    /// <exception cref="ReplicaException">The replica has ended.</exception>
    public async Task<bool?> WaitAsync(long position, CancellationToken cancellationToken)
    {
        await ReachAsync(position, cancellationToken);
        lock (_gate)
            return IsKept(position) ? _outcomes[position % KeptOutcomes] : null;
    }

    /// <summary>Waits until a batch is applied; says at once that it is there.</summary>
    /// <returns>The outcomes of its records; null if it is too long ago, or another batch was applied at its place.</returns>
    /// <exception cref="ReplicaException">The replica has ended.</exception>
    public async Task<bool[]?> WaitAsync(LogPlace end, int count, CancellationToken cancellationToken)
    {
        await ReachAsync(end.Position, cancellationToken);
        lock (_gate)
        {
            long first = end.Position - count + 1;
            if (!IsPassed(end) || !IsKept(first))
                return null;
            var outcomes = new bool[count];
            for (int i = 0; i < count; i++)
                outcomes[i] = _outcomes[(first + i) % KeptOutcomes];
            return outcomes;
        }
    }

    /// <summary>Saves what is applied, and ends.</summary>
    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await _running;
        Fail(new ReplicaException($"The replica of shard {Shard} is closed."));
        _stop.Dispose();
    }

    private async Task RunAsync()
    {
        try
        {
            bool isReachable = true;
            _savedAt = _clock.GetTimestamp();
            while (!_stop.IsCancellationRequested)
            {
                try
                {
                    await FollowAsync();
                    isReachable = true;
                }
                catch (LogUnavailableException e)
                {
                    if (isReachable)
                        ClusterLog.LogFailed(_logger, Shard, e.Message);
                    isReachable = false;
                }

                await SaveIfDueAsync();
                await RestAsync(isReachable, _end.Position > _saved.Position);
            }

            await SaveLastAsync();
        }
        catch (OperationCanceledException) when (_stop.IsCancellationRequested)
        {
            await SaveLastAsync();
        }
        catch (Exception e)
        {
            // Records must not be left out: whatever stands in the way ends the replica, and others answer for the shard.
            ClusterLog.ReplicaFailed(_logger, e, Shard, _applied);
            Fail(new ReplicaException($"The replica of shard {Shard} ended behind position {_applied}: {e.Message}", e));
        }
    }

    private async Task ReachAsync(long position, CancellationToken cancellationToken)
    {
        Poke(position);
        TaskCompletionSource? waiter = null;
        lock (_gate)
        {
            if (_failure is { } failure)
                throw failure;
            if (_applied < position)
                _waiters.Enqueue(waiter = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously), position);
        }

        if (waiter is not null)
            await waiter.Task.WaitAsync(cancellationToken);
    }

    private bool IsKept(long position) => position > _applied - KeptOutcomes && position > First;

    // What is not saved, the next start applies again; unless the log has lost it.
    private async Task SaveLastAsync()
    {
        try
        {
            if (_end.Position > _saved.Position)
                await SaveAsync(CancellationToken.None);
        }
        catch (Exception e)
        {
            ClusterLog.ReplicaFailed(_logger, e, Shard, _end.Position);
        }
    }

    private async Task SaveIfDueAsync()
    {
        long unsaved = _end.Position - _saved.Position;
        if (unsaved > RecordsBetweenSaves || (unsaved > 0 && _clock.GetElapsedTime(_savedAt) >= _betweenSaves))
            await SaveAsync(_stop.Token);
    }

    private async Task SaveAsync(CancellationToken cancellationToken)
    {
        await _store.SaveAsync(_end, cancellationToken);
        lock (_gate)
            _saved = _end;
        _savedAt = _clock.GetTimestamp();
    }

    private async Task FollowAsync()
    {
        while (_applied < Volatile.Read(ref _known))
        {
            IReadOnlyList<LogEntry> entries = TakeOffered() ?? await _log.ReadAsync(Shard, _applied, ReadBytes, _stop.Token);
            if (entries.Count == 0)
            {
                // Who said that there is more was wrong, or the shard is gone.
                lock (_gate)
                    _known = _applied;
                return;
            }

            foreach (LogEntry entry in entries)
                await ApplyAsync(entry);

            // A replica that has much to follow is not idle for long.
            await SaveIfDueAsync();
        }
    }

    // The next batch, if it was offered; null if other writers have written before it.
    private IReadOnlyList<LogEntry>? TakeOffered()
    {
        lock (_gate)
        {
            while (_offered.TryPeek(out LogEntry? next) && next.First <= _applied)
                _offered.Dequeue();
            if (!_offered.TryPeek(out LogEntry? entry) || entry.First != _applied + 1)
                return null;
            _offered.Dequeue();

            // One that a database has lost since does not follow; the log has another.
            return _end.Behind(entry.Count, LogBatchCodec.ChecksumOf(entry.Payload.Span)).Chain == entry.Chain ? [entry] : null;
        }
    }

    private bool IsPassed(LogPlace place) => Array.IndexOf(_places, place, 0, (int)Math.Min(_batches + 1, KeptPlaces)) >= 0;

    // Records of different elements go side by side, as the writes of a collection share their way to the disk.
    private async Task ApplyAsync(LogEntry entry)
    {
        if (entry.First != _applied + 1)
            throw new LogDamagedException($"shard {Shard}: expected the batch of position {_applied + 1}, found {entry.First}");
        LogPlace behind = _end.Behind(entry.Count, LogBatchCodec.ChecksumOf(entry.Payload.Span));
        if (behind.Chain != entry.Chain)
            throw new LogDivergedException($"shard {Shard}: the log has had other records before position {entry.First} than were applied");
        IReadOnlyList<LogRecord> records = LogBatchCodec.Read(entry.Payload, entry.Count);
        var running = new List<Task<bool>>();
        var elements = new HashSet<string>(StringComparer.Ordinal);
        for (int i = 0; i < records.Count; i++)
        {
            if (records[i].Kind == RecordKind.Mark)
            {
                await FinishAsync(running);
                elements.Clear();
                await _store.MarkAsync(entry.First + i, _stop.Token);
                running.Add(_isMarked);
                continue;
            }

            string element = Encoding.UTF8.GetString(records[i].Element.Span);
            if (running.Count == MostAtOnce || elements.Contains(element))
            {
                await FinishAsync(running);
                elements.Clear();
            }

            elements.Add(element);

            running.Add(_store.ApplyAsync(entry.First + i, records[i], _stop.Token).AsTask());
        }

        await FinishAsync(running, behind);
    }

    private async Task FinishAsync(List<Task<bool>> running, LogPlace? end = null)
    {
        // All end before one that failed is told: nothing is applied behind the back of those who close the store.
        await Task.WhenAll(running);
        lock (_gate)
        {
            foreach (Task<bool> one in running)
            {
                long position = _applied + 1;
                _outcomes[position % KeptOutcomes] = one.Result;
                Volatile.Write(ref _applied, position);
            }

            if (end is { } behind)
            {
                Debug.Assert(_applied == behind.Position, "all records are applied");
                _end = behind;
                _places[++_batches % KeptPlaces] = behind;
            }

            while (_waiters.TryPeek(out TaskCompletionSource? waiter, out long wanted) && wanted <= _applied)
            {
                _waiters.Dequeue();
                waiter.SetResult();
            }
        }

        running.Clear();
    }

    // Until there is more, or it is time to save or to try again.
    private async Task RestAsync(bool isReachable, bool hasUnsaved)
    {
        Task poked;
        lock (_gate)
        {
            if (_poked.Task.IsCompleted)
                _poked = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            if (isReachable && _known > _applied)
                return;
            poked = _poked.Task;
        }

        if (!isReachable)
            await Task.Delay(_pause, _clock, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        else if (hasUnsaved)
            await Task.WhenAny(poked, Task.Delay(_betweenSaves, _clock, _stop.Token));
        else
            await poked.WaitAsync(_stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    private void Fail(ReplicaException failure)
    {
        var waiters = new List<TaskCompletionSource>();
        lock (_gate)
        {
            _failure ??= failure;
            while (_waiters.TryDequeue(out TaskCompletionSource? waiter, out _))
                waiters.Add(waiter);
        }

        foreach (TaskCompletionSource waiter in waiters)
            waiter.SetException(failure);
    }
}
