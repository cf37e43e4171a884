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
        using ViewLease lease = new(taken.Pinned.View);
        await RebuildAsync(taken.Pinned, taken.Log, import, progress, cancellationToken).ConfigureAwait(false);
        return true;
    }

    private async Task RebuildAsync(
        PinnedView pinned, LogPosition log, VectorSource? import, IProgress<BuildProgress>? progress, CancellationToken cancellationToken)
    {
        long from = Stopwatch.GetTimestamp();
        try
        {
            await BuildAsync(pinned, log, import, progress, cancellationToken).ConfigureAwait(false);
            Telemetry.Maintained("rebuild", _name, from, error: null);
        }
        catch (Exception e)
        {
            Telemetry.Maintained("rebuild", _name, from, e);
            throw;
        }
    }

    private async Task BuildAsync(
        PinnedView pinned, LogPosition log, VectorSource? import, IProgress<BuildProgress>? progress, CancellationToken cancellationToken)
    {
        CollectionFolder folder = _store.Folder;
        uint number = NextNumber(folder);
        CollectionManifest next = _store.Manifest.WithoutGeneration() with { Log = log };
        CollectionGeneration? generation = null;
        bool isInDoubt = false;
        try
        {
            if (pinned.Count > 0 || import is not null)
            {
                BuildOptions options = _store.Options.Build ?? new BuildOptions();
                var rebuild = new CollectionRebuild(
                    folder, next.Schema, options, _store.Options.Tuning.LeastWithRoom, _store.Options.Open?.LoggerFactory);
                RecordFileInfo? records = import is null
                    ? await RebuildInBackgroundAsync(rebuild, options, pinned, number, next.Id ^ number, progress, cancellationToken)
                        .ConfigureAwait(false)
                    : await rebuild
                        .RunAsync(pinned, import, number, next.Id ^ number, TaskScheduler.Default, progress, cancellationToken)
                        .ConfigureAwait(false);
                next = next with { Generation = number, Records = records };
                CollectionGeneration opened = _store.OpenGeneration(next)!;
                generation = opened;
                bool isFiltered = pinned.View.Content?.Matches.Columns is not null;
                FileEntry? columns = await Task
                    .Run(() => rebuild.WriteColumns(opened, isFiltered, cancellationToken), cancellationToken).ConfigureAwait(false);
                next = next with { Columns = columns };
            }

            await _writer.RunAsync(() => Commit(pinned, next, generation, () => isInDoubt = true)).ConfigureAwait(false);
            Volatile.Write(ref _error, null);
        }
        catch (Exception e)
        {
            // Only a recovery can tell which manifest is in force, or go on after another writer.
            if (isInDoubt || !_store.IsLockHeld)
                _writer.Fail(e);
            if (_store.State.View.Generation != generation)
                generation?.Release();
            if (_writer.Failure is null)
                DeleteUnfinished(folder, number);
            if (e is IOException or UnauthorizedAccessException)
                throw new IndexWriteException($"{folder.Path}: the rebuild could not be written: {e.Message}", e);
            throw;
        }
    }

    // Searches and writes go on. An import has nobody to give way to.
    private static async Task<RecordFileInfo?> RebuildInBackgroundAsync(
        CollectionRebuild rebuild, BuildOptions options, PinnedView pinned, uint number, ulong identity,
        IProgress<BuildProgress>? progress, CancellationToken cancellationToken)
    {
        // One thread waits for the build, one writes while others compute.
        using var threads = new BackgroundThreads("VectorPipe rebuild", options.Threads + 2);
        IProgress<BuildProgress>? relayed = progress is null ? null : threads.Relay(progress);
        return await threads
            .RunAsync(() => rebuild.RunAsync(pinned, null, number, identity, threads, relayed, cancellationToken).GetAwaiter().GetResult())
            .ConfigureAwait(false);
    }

    private void Commit(PinnedView pinned, CollectionManifest next, CollectionGeneration? generation, Action beforeRename)
    {
        CollectionState state = _store.State;
        _writer.Checkpoint();
        _store.Publish(next with { Displaced = state.ListDisplaced() }, beforeRename);
        CollectionGeneration? replaced = state.View.Generation;
        state.Publish(state.View.Above(generation, pinned.Sets));
        _store.Log(logger => CollectionLog.Rebuilt(logger, _store.Folder.Path, next.Generation, pinned.Count));
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
