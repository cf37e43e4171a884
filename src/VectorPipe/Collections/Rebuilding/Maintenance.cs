using System.Diagnostics;
using VectorPipe.Collections.Checkpoints;
using VectorPipe.Collections.Generations;
using VectorPipe.Collections.Waiting;
using VectorPipe.Collections.Writing;
using VectorPipe.Diagnostics;
using VectorPipe.Model.Collections;
using VectorPipe.Storage.Log;

namespace VectorPipe.Collections.Rebuilding;

/// <summary>Takes writes in by checkpoints and rebuilds, in the background or on demand, one at a time.</summary>
internal sealed partial class Maintenance : IDisposable
{
    // Writes that wait before they are taken in, and parts of the generation: a checkpoint costs by the write, a rebuild by the record.
    // Every search scores what waits: with 10,000 instead of 2,500 (and 2 searches for places at once), the 99th percentile beside 2,000
    // searches and 2,000 upserts a second was 95 and 102 ms instead of 13 and 22 (200,000 records, two cores, three alternating rounds).
    private const int LeastOfCheckpoint = 2_500;
    private const int LeastOfRebuild = 10_000;
    private const int SharesOfCheckpoint = 400;
    private const int SharesOfRebuild = 4;

    // Batches that wait for a checkpoint that has fallen behind.
    private const int BatchesBehind = 3;

    // Times as much as is taken in that may wait in any case.
    private const double LeastPiled = 2;

    private readonly CollectionStore _store;
    private readonly CollectionWriter _writer;
    private readonly CheckpointRun _checkpoints;
    private readonly CancellationTokenSource _closing = new();
    private readonly SemaphoreSlim _one = new(1, 1);
    private readonly string _name;
    private readonly Lock _gate = new();
    private bool _isRebuilding;
    private int _waiting;
    private CheckpointPace? _pace;

    // What the rebuild that runs has not taken in; null while none runs.
    private LaterWrites? _later;
    private Exception? _error;
    private Task _background = Task.CompletedTask;

    // Ends with the checkpoint or rebuild that runs, or is about to.
    private TaskCompletionSource _round = new();

    /// <param name="store">A collection that can be written to.</param>
    public Maintenance(CollectionStore store)
    {
        _store = store;
        _writer = store.Writer!;
        _checkpoints = new CheckpointRun(store);
        _name = Telemetry.NameOf(store.Folder.Path);
        _writer.InsertionsRefused = FindRefusal;
        _writer.GroupWritten = StartIfDue;

        // The process before may have ended while it was due, and this one may never write.
        StartIfDue();
    }

    /// <summary>Whether a checkpoint, a rebuild or a backup is running.</summary>
    public bool IsRunning => _one.CurrentCount == 0;

    /// <summary>Why the last checkpoint or rebuild that began by itself failed; null if it did not, or a later one succeeded.</summary>
    public Exception? Error => Volatile.Read(ref _error);

    /// <summary>Bytes of writes that searches need not score any more, kept for a generation that is being built.</summary>
    public long KeptBytes => Volatile.Read(ref _later)?.BytesBeside(_store.State.View.Sets) ?? 0;

    /// <summary>Ends when that has been tried which was due at the call, whatever became due since.</summary>
    public async Task WaitForDueAsync()
    {
        TaskCompletionSource round;
        bool isDueAgain;
        lock (_gate)
        {
            if (!_isRebuilding)
                return;
            round = _round;

            // The one that runs may have pinned its writes before these came.
            isDueAgain = IsDue(_store.State.View);
        }

        await round.Task.ConfigureAwait(false);
        if (!isDueAgain)
            return;
        lock (_gate)
        {
            if (!_isRebuilding)
                return;
            round = _round;
        }

        await round.Task.ConfigureAwait(false);
    }

    /// <summary>Runs while no checkpoint can be made: generation and log stay as they are, but for writes.</summary>
    public Task<T> ExcludeAsync<T>(Func<CancellationToken, Task<T>> body, CancellationToken cancellationToken) =>
        ExcludeAsync(body, isUrgent: true, cancellationToken);

    private async Task<T> ExcludeAsync<T>(Func<CancellationToken, Task<T>> body, bool isUrgent, CancellationToken cancellationToken)
    {
        using var linked = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, _closing.Token);
        Interlocked.Add(ref _waiting, isUrgent ? 1 : 0);
        try
        {
            await _one.WaitAsync(linked.Token).ConfigureAwait(false);
        }
        finally
        {
            Interlocked.Add(ref _waiting, isUrgent ? -1 : 0);
        }

        try
        {
            return await body(linked.Token).ConfigureAwait(false);
        }
        finally
        {
            _one.Release();
        }
    }

    /// <summary>Makes the next generation from all that was written so far, while searches and writes go on.</summary>
    /// <returns>False if there was nothing to do.</returns>
    /// <exception cref="IndexWriteException">The generation could not be written; the old one stays.</exception>
    public Task<bool> RebuildAsync(IProgress<BuildProgress>? progress, CancellationToken cancellationToken) =>
        ExcludeAsync(token => RebuildAloneAsync(progress, token), cancellationToken);

    /// <summary>Makes the first generation of an empty collection from a source; writes wait for its end.</summary>
    /// <returns>False if the collection is not empty.</returns>
    /// <exception cref="IndexWriteException">The generation could not be written.</exception>
    public Task<bool> ImportAsync(VectorSource source, IProgress<BuildProgress>? progress, CancellationToken cancellationToken) =>
        ExcludeAsync(token => ImportAloneAsync(source, progress, token), cancellationToken);

    /// <summary>Cancels what runs and waits for its end.</summary>
    public void Dispose()
    {
        _writer.GroupWritten = null;
        _writer.InsertionsRefused = null;
        _closing.Cancel();
        _background.ContinueWith(static _ => { }, TaskScheduler.Default).GetAwaiter().GetResult();
        _one.Wait();
        _closing.Dispose();
    }

    // On the writer's thread, after each group.
    private void StartIfDue()
    {
        CollectionView view = _store.State.View;
        LaterWrites? later = Volatile.Read(ref _later);
        bool isDue = IsDue(view) || IsFull(view);
        if (!isDue && later is null)
            return;
        lock (_gate)
        {
            if (_isRebuilding)
            {
                Throttle();
            }
            else if (isDue)
            {
                _isRebuilding = true;
                _round = NewRound();
                _background = Task.Run(TakeInBackgroundAsync);
            }
        }

        if (IsDueBeside(view))
            later?.NoteDue();
    }

    // On the writer's thread, before each group. An insertion that is refused has maintenance try again, if it does not anyway.
    private IndexWriteException? FindRefusal()
    {
        CollectionView view = _store.State.View;
        return IsFull(view) && Error is { } error
            ? new IndexWriteException(
                $"{_store.Folder.Path}: expected waiting writes to be taken into the index, found {view.WaitingBytes} bytes of them in "
                + "memory after maintenance failed; nothing was written, and insertions are refused until it succeeds, deletions and "
                + $"searches go on: {error.Message}",
                error)
            : null;
    }

    // Whether maintenance fails, and as much waits in all sets as may wait in the newest one beside maintenance that works.
    private bool IsFull(CollectionView view) =>
        Error is not null && view.WaitingBytes >= LeastPiled * _store.Options.Tuning.MostWaitingBytes;

    // After a group, and after a piece of a checkpoint: writes come in as fast as it goes, and so wait for moments instead of seconds.
    private void Throttle()
    {
        lock (_gate)
        {
            if (_isRebuilding && IsPiledUp(_store.State.View))
                _writer.Hold(HoldReason.Rebuild);
            else
                _writer.GoOn(HoldReason.Rebuild);
        }
    }

    // Dead records cost searches reads, waiting ones time and memory.
    private bool IsPiledUp(CollectionView view)
    {
        CollectionTuning tuning = _store.Options.Tuning;
        LaterWrites? later = Volatile.Read(ref _later);
        double part = later is null ? Volatile.Read(ref _pace)?.Part ?? 1 : 1;
        return view.Newest.Writes >= Math.Max(LeastPiled, tuning.MostDue * part) * DueWrites(view)
            || view.Newest.Bytes >= (1 + part) * tuning.MostWaitingBytes
            || later?.Bytes >= LeastPiled * tuning.MostWaitingBytes;
    }

    // Whether as much waits as is taken in.
    private bool IsDue(CollectionView view) => DueShare(view) >= 1;

    // Whether a rebuild has left as much as is taken in below the newest set: the next generation had no room for it.
    private bool HasLeftSets(CollectionView view) => view.Sets.Length > 1
        && (view.Writes >= DueWrites(view) || view.WaitingBytes >= _store.Options.Tuning.MostWaitingBytes);

    // Whether half as much waits beside a rebuild as makes writes stop. Such a checkpoint is work that is done once more for the next
    // generation: it began at half of this, and the rebuild at nice 15, with 960 upserts and 640 searches a second on two cores that had no
    // time left, and the 99th percentile of searches was 1.5 s; without such checkpoints, and at nice 10, it was 0.04 s.
    private bool IsDueBeside(CollectionView view)
    {
        CollectionTuning tuning = _store.Options.Tuning;
        return view.Newest.Writes > 0
            && (view.Newest.Writes >= Math.Max(LeastPiled, tuning.MostDue) / 2 * DueWrites(view)
                || view.Newest.Bytes >= tuning.MostWaitingBytes);
    }

    // Writes that wait, as a part of those that are taken in.
    private double DueShare(CollectionView view)
    {
        double bytes = view.Newest.Bytes / (double)_store.Options.Tuning.MostWaitingBytes;
        return Math.Max(view.Newest.Writes / (double)DueWrites(view), bytes);
    }

    // Writes that are taken in together.
    private long DueWrites(CollectionView view) => DueWrites(view.Generation, view.GenerationCount);

    private long DueWrites(CollectionGeneration? generation, long count)
    {
        (int least, int shares) = generation?.CanChange == true
            ? (LeastOfCheckpoint, SharesOfCheckpoint)
            : (LeastOfRebuild, SharesOfRebuild);
        return Math.Max(_store.Options.Tuning.LeastWaiting ?? least, count / shares);
    }

    private async Task TakeInBackgroundAsync()
    {
        while (EndRound(await TryTakeInAsync().ConfigureAwait(false)))
        {
            // What was written meanwhile is due, and nobody may write for a while.
        }
    }

    private async Task<bool> TryTakeInAsync()
    {
        try
        {
            await ExcludeAsync(TakeInAsync, isUrgent: false, CancellationToken.None).ConfigureAwait(false);
            Volatile.Write(ref _error, null);
            return true;
        }
        catch (Exception e)
        {
            // Searches and writes go on without it; the status tells, and the next one is due after as many writes. When too much waits,
            // insertions are refused.
            if (!_closing.IsCancellationRequested)
            {
                Volatile.Write(ref _error, e);
                _store.Log(logger => CollectionLog.RebuildFailed(logger, e, _store.Folder.Path));
            }
        }

        return false;
    }

    // Under the gate: what becomes due is seen here, or begins the next one.
    private bool EndRound(bool hasSucceeded)
    {
        TaskCompletionSource ended;
        bool goesOn;
        lock (_gate)
        {
            ended = _round;
            goesOn = _isRebuilding = hasSucceeded && (IsDue(_store.State.View) || HasLeftSets(_store.State.View));
            if (goesOn)
                _round = NewRound();
            _writer.GoOn(HoldReason.Rebuild);
        }

        ended.SetResult();
        return goesOn;
    }

    private static TaskCompletionSource NewRound() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    // Takes waiting writes into the pages of the generation, as long as they have room and the graph is good; else rebuilds.
    private async Task<bool> TakeInAsync(CancellationToken cancellationToken)
    {
        (PinnedView Pinned, LogPosition Log)? pin = null;
        await _writer.RunAsync(() => pin = Pin(static view => view.Writes > 0)).ConfigureAwait(false);
        if (pin is not { } taken)
            return false;
        using var lease = new PinnedLease(taken.Pinned.View);
        if (!CanTakeIn(taken.Pinned)
            || !await TryCheckpointAsync(taken.Pinned, taken.Log, keepsLog: false, cancellationToken).ConfigureAwait(false))
            await RebuildAsync(taken.Pinned, taken.Log, lease, null, null, cancellationToken).ConfigureAwait(false);
        return true;
    }

    private async Task<bool> TryCheckpointAsync(
        PinnedView pinned, LogPosition log, bool keepsLog, CancellationToken cancellationToken)
    {
        CheckpointPace pace = CreatePace(IsBehind(pinned.View), cancellationToken);
        Volatile.Write(ref _pace, pace);
        long from = Stopwatch.GetTimestamp();
        try
        {
            bool isTaken = await _checkpoints.RunAsync(pinned, log, keepsLog, pace, cancellationToken).ConfigureAwait(false);
            Telemetry.Maintained("checkpoint", _name, from, error: null);
            return isTaken;
        }
        catch (Exception e)
        {
            Telemetry.Maintained("checkpoint", _name, from, e);
            throw;
        }
        finally
        {
            // A rebuild may follow, for which nothing throttles writes before they have piled up.
            Volatile.Write(ref _pace, null);
            Throttle();
        }
    }

    private bool IsBehind(CollectionView view) => view.Writes >= BatchesBehind * DueWrites(view);

    // Who compacts, copies or closes does not wait for longer than needed.
    private CheckpointPace CreatePace(bool isBehind, CancellationToken cancellationToken) => new(
        () => Volatile.Read(ref _waiting) > 0 ? double.PositiveInfinity : DueShare(_store.State.View), () => _store.State.Leases,
        cancellationToken)
    {
        Progressed = Throttle,
        IsBehind = isBehind,
    };

    private bool CanTakeIn(PinnedView pinned)
    {
        CollectionView view = pinned.View;
        if (view.Generation is not { CanChange: true } generation)
            return false;
        return view.Writes <= view.GenerationCount / SharesOfRebuild
            && generation.Index.Contents.Keys.Changed + view.Writes <= _store.Options.Tuning.MostChanged * generation.Count;
    }

    private (PinnedView Pinned, LogPosition Log)? Pin(Predicate<CollectionView> isDue)
    {
        CollectionState state = _store.State;
        CollectionView view = state.View;
        if (!isDue(view))
            return null;
        LogPosition end = _writer.Checkpoint();
        ViewLease lease = state.Lease();
        var pinned = new PinnedView(lease.View, state.Sequence, view.Count);

        // One that failed has left a set on top: as long as it has no writes, it is the one for those to come.
        if (view is { Newest.Writes: 0, Sets.Length: > 1 })
            return (pinned with { Sets = view.Sets.Length - 1 }, end);
        BeginSet();
        return (pinned, end);
    }

    // On the writer's thread: later writes go into another set.
    private void BeginSet()
    {
        CollectionSchema schema = _store.Manifest.Schema;
        var newest = new WaitingSet(schema.Metric, schema.ElementType, schema.Dimension);
        _store.State.Publish(_store.State.View.With(newest));
        _later?.Add(newest);
        Throttle();
    }
}
