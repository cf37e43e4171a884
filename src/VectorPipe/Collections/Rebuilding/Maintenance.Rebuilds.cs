using System.Diagnostics;
using VectorPipe.Collections.Generations;
using VectorPipe.Collections.Manifests;
using VectorPipe.Collections.Writing;
using VectorPipe.Diagnostics;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Log;
using VectorPipe.Storage.Records;

namespace VectorPipe.Collections.Rebuilding;

/// <content>Rebuilds and imports: the next generation, and how it comes into force.</content>
internal sealed partial class Maintenance
{
    private Task<bool> RebuildAloneAsync(IProgress<BuildProgress>? progress, CancellationToken cancellationToken) =>
        RebuildAsync(static view => view.Writes > 0 || view.Checkpoint > 0, import: null, progress, cancellationToken);

    // What a write replaces is known only when the keys are.
    private async Task<bool> ImportAloneAsync(
        VectorSource source, IProgress<BuildProgress>? progress, CancellationToken cancellationToken)
    {
        _writer.Hold(HoldReason.Import);
        try
        {
            return await RebuildAsync(static view => view.Count == 0, source, progress, cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            _writer.GoOn(HoldReason.Import);
        }
    }

    private async Task<bool> RebuildAsync(
        Predicate<CollectionView> isDue, VectorSource? import, IProgress<BuildProgress>? progress, CancellationToken cancellationToken)
    {
        (PinnedView Pinned, LogPosition Log)? pin = null;
        await _writer.RunAsync(() => pin = Pin(isDue)).ConfigureAwait(false);
        if (pin is not { } taken)
            return false;
        using var lease = new PinnedLease(taken.Pinned.View);
        await RebuildAsync(taken.Pinned, taken.Log, lease, import, progress, cancellationToken).ConfigureAwait(false);
        return true;
    }

    private async Task RebuildAsync(
        PinnedView pinned, LogPosition log, PinnedLease lease, VectorSource? import, IProgress<BuildProgress>? progress,
        CancellationToken cancellationToken)
    {
        long from = Stopwatch.GetTimestamp();
        try
        {
            await BuildAsync(pinned, log, lease, import, progress, cancellationToken).ConfigureAwait(false);
            Telemetry.Maintained("rebuild", _name, from, error: null);
        }
        catch (Exception e)
        {
            Telemetry.Maintained("rebuild", _name, from, e);
            throw;
        }
    }

    private async Task BuildAsync(
        PinnedView pinned, LogPosition log, PinnedLease lease, VectorSource? import, IProgress<BuildProgress>? progress,
        CancellationToken cancellationToken)
    {
        // Nobody else changes which sets there are: all that came since the content was pinned goes into the newest one. Checkpoints that
        // are made meanwhile move keys.
        var later = new LaterWrites(pinned.View.Sets[..pinned.Sets].ToArray(), _store.State.View.Newest);
        pinned = pinned with { Records = pinned.Records?.Freeze() };
        Volatile.Write(ref _later, later);
        try
        {
            await BuildAsync(pinned, log, lease, later, import, progress, cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            Volatile.Write(ref _later, null);
            Throttle();
        }
    }

    private async Task BuildAsync(
        PinnedView pinned, LogPosition log, PinnedLease lease, LaterWrites later, VectorSource? import, IProgress<BuildProgress>? progress,
        CancellationToken cancellationToken)
    {
        CollectionFolder folder = _store.Folder;
        uint number = NextNumber(folder);
        CollectionManifest next = _store.Manifest.WithoutGeneration() with { Log = log };
        CollectionGeneration? generation = null;
        CatchUp? catchUp = null;
        bool isInDoubt = false;
        try
        {
            if (pinned.Count > 0 || import is not null)
            {
                Task building = MakeAsync();
                await TakeInBesideAsync(building, later, cancellationToken).ConfigureAwait(false);
                await building.ConfigureAwait(false);
                next = await catchUp!.RunAsync(next, cancellationToken).ConfigureAwait(false);
            }

            await _writer.RunAsync(() => Commit(next, generation, later, () => isInDoubt = true)).ConfigureAwait(false);
            Volatile.Write(ref _error, null);
        }
        catch (Exception e)
        {
            // Only a recovery can tell which manifest is in force, or go on after another writer.
            if (isInDoubt || _store.IsLockLost)
                _writer.Fail(e);
            catchUp?.Dispose();
            if (_store.State.View.Generation != generation)
                generation?.Release();
            if (_writer.Failure is null && _store.IsLockHeld)
                DeleteUnfinished(folder, number);
            if (e is IOException or UnauthorizedAccessException)
                throw new IndexWriteException($"{folder.Path}: the rebuild could not be written: {e.Message}", e);
            throw;
        }
        finally
        {
            catchUp?.Dispose();
        }

        async Task MakeAsync()
        {
            BuildOptions options = _store.Options.Build ?? new BuildOptions();
            var rebuild = new CollectionRebuild(
                folder, next.Schema, options, _store.Options.Tuning, _store.Options.Open?.LoggerFactory);
            RecordFileInfo? records = import is null
                ? await RebuildInBackgroundAsync(rebuild, options, pinned, number, next.Id ^ number, lease, progress, cancellationToken)
                    .ConfigureAwait(false)
                : await rebuild
                    .RunAsync(pinned, import, number, next.Id ^ number, TaskScheduler.Default, lease, progress, cancellationToken)
                    .ConfigureAwait(false);
            next = next with { Generation = number, Records = records };
            CollectionGeneration opened = _store.OpenGeneration(next)!;
            generation = opened;
            bool isFiltered = _store.State.View.Content?.Matches.Columns is not null;
            FileEntry? columns = await Task
                .Run(() => rebuild.WriteColumns(opened, isFiltered, cancellationToken), cancellationToken).ConfigureAwait(false);
            catchUp = new CatchUp(
                _store, opened, later, DueWrites(opened, opened.Count), BeginSet, () => CreatePace(isBehind: false, cancellationToken),
                Throttle);
            next = await catchUp.RunAsync(next with { Columns = columns }, cancellationToken).ConfigureAwait(false);
        }
    }

    // A build may take minutes: before writes would have to stop, the generation in force takes them in as well.
    private async Task TakeInBesideAsync(Task building, LaterWrites later, CancellationToken cancellationToken)
    {
        if (_store.State.View.Generation is not { CanChange: true })
            return;
        bool hasRoom = true;
        while (hasRoom && !building.IsCompleted)
        {
            Task due = later.NextDue();
            if (!IsDueBeside(_store.State.View))
                await Task.WhenAny(building, due).ConfigureAwait(false);
            if (!building.IsCompleted && IsDueBeside(_store.State.View))
                hasRoom = await TryTakeInBesideAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    // What it cannot take in waits for the generation that is being built.
    private async Task<bool> TryTakeInBesideAsync(CancellationToken cancellationToken)
    {
        try
        {
            (PinnedView Pinned, LogPosition Log)? pin = null;
            await _writer.RunAsync(() => pin = Pin(static view => view.Writes > 0)).ConfigureAwait(false);
            if (pin is not { } taken)
                return true;
            using ViewLease lease = new(taken.Pinned.View);
            return await TryCheckpointAsync(taken.Pinned, taken.Log, keepsLog: true, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e)
        {
            if (!cancellationToken.IsCancellationRequested)
            {
                Volatile.Write(ref _error, e);
                _store.Log(logger => CollectionLog.RebuildFailed(logger, e, _store.Folder.Path));
            }

            return false;
        }
    }

    // Searches and writes go on. An import has nobody to give way to.
    private static async Task<RecordFileInfo?> RebuildInBackgroundAsync(
        CollectionRebuild rebuild, BuildOptions options, PinnedView pinned, uint number, ulong identity, PinnedLease lease,
        IProgress<BuildProgress>? progress, CancellationToken cancellationToken)
    {
        // One thread waits for the build, one writes while others compute.
        using var threads = new BackgroundThreads("VectorPipe rebuild", options.Threads + 2);
        IProgress<BuildProgress>? relayed = progress is null ? null : threads.Relay(progress);
        return await threads
            .RunAsync(() => rebuild
                .RunAsync(pinned, null, number, identity, threads, lease, relayed, cancellationToken).GetAwaiter().GetResult())
            .ConfigureAwait(false);
    }

    private void Commit(CollectionManifest next, CollectionGeneration? generation, LaterWrites later, Action beforeRename)
    {
        CollectionState state = _store.State;
        Debug.Assert(later.Sets[^1] == state.View.Newest, "every set above the pinned ones is kept");
        _writer.Checkpoint();
        _store.Publish(next with { Displaced = state.ListDisplaced() }, beforeRename);
        CollectionGeneration? replaced = state.View.Generation;
        state.Publish(state.View.Above(generation, later.Sets));
        _store.Log(logger => CollectionLog.Rebuilt(logger, _store.Folder.Path, next.Generation, state.View.GenerationCount));
        try
        {
            replaced?.Release();
            _writer.Release(next.Log);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            _store.Log(logger => BuildLog.LeftoversStay(logger, e, _store.Folder.Path));
        }
    }

    private static uint NextNumber(CollectionFolder folder)
    {
        uint number = folder.Read().Generation + 1;
        while (Directory.Exists(folder.GenerationPath(number)))
            number++;
        return number;
    }

    private void DeleteUnfinished(CollectionFolder folder, uint number)
    {
        try
        {
            folder.DeleteGeneration(folder.GenerationPath(number));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            _store.Log(logger => BuildLog.LeftoversStay(logger, e, folder.Path));
        }
    }
}
