using VectorPipe.Collections.Checkpoints;
using VectorPipe.Collections.Generations;
using VectorPipe.Collections.Manifests;
using VectorPipe.Collections.Waiting;
using VectorPipe.Storage.Log;

namespace VectorPipe.Collections.Rebuilding;

/// <summary>Has a generation that was built take in what was written meanwhile, before it comes into force.</summary>
/// <remarks>Each round takes in what came during the one before. Not thread-safe. Disposed when the generation is in force, or given
/// up.</remarks>
/// <param name="store">A collection that can be written to.</param>
/// <param name="generation">The generation; nobody else has it.</param>
/// <param name="later">The writes; what was taken in is removed.</param>
/// <param name="few">Writes that may be left.</param>
/// <param name="beginSet">Has later writes go into another set; called on the writer's thread.</param>
/// <param name="createPace">How fast a checkpoint goes.</param>
/// <param name="removed">Called when writes were taken in.</param>
internal sealed class CatchUp(
    CollectionStore store, CollectionGeneration generation, LaterWrites later, long few, Action beginSet, Func<CheckpointPace> createPace,
    Action removed) : IDisposable
{
    private const int MostRounds = 8;

    private readonly CheckpointRun _checkpoints = new(store);

    // While it is there, the generation has the page graph of the build: it is searched as it was built if it turns out to have no room.
    private CollectionView? _view;
    private bool _isFull = !generation.CanChange;

    /// <summary>Takes writes in until few are left, it has no room for them, or they come in faster than they are taken in.</summary>
    /// <param name="next">The manifest that will bring the generation into force.</param>
    /// <param name="cancellationToken">Cancels it.</param>
    /// <returns>The manifest that names what was taken in.</returns>
    /// <exception cref="IndexWriteException">A file could not be written, or the log cannot be.</exception>
    public async Task<CollectionManifest> RunAsync(CollectionManifest next, CancellationToken cancellationToken)
    {
        long before = long.MaxValue;
        for (int round = 0; round < MostRounds && !_isFull; round++)
        {
            long writes = later.Writes;
            if (writes < few || writes >= before || !HasRoomFor(writes))
                break;
            before = writes;
            next = await TakeInAsync(next, cancellationToken).ConfigureAwait(false);
        }

        return next;
    }

    public void Dispose()
    {
        _view?.Release();
        _view = null;
    }

    // One that has changed that much is to be built anew.
    private bool HasRoomFor(long writes) =>
        generation.Index.Contents.Keys.Changed + writes <= store.Options.Tuning.MostChanged * generation.Count;

    private async Task<CollectionManifest> TakeInAsync(CollectionManifest next, CancellationToken cancellationToken)
    {
        WaitingSet[] sets = [];
        LogPosition log = default;
        long sequence = 0;
        await store.Writer!
            .RunAsync(() =>
            {
                log = store.Writer.Checkpoint();
                if (store.State.View.Newest.Writes > 0)
                    beginSet();
                sets = later.Sets[..^1];
                sequence = store.State.Sequence;
            })
            .ConfigureAwait(false);
        _view = store.State.View.Above(generation, sets);
        var pinned = new PinnedView(_view, sequence, _view.Count);
        CollectionManifest? taken = await _checkpoints
            .CatchUpAsync(pinned, next, log, createPace(), cancellationToken).ConfigureAwait(false);
        _isFull = taken is null;
        if (taken is null)
            return next;
        Dispose();
        later.Remove(sets.Length);
        removed();
        return taken;
    }
}
