using System.Diagnostics;
using VectorPipe.Collections.Checkpoints;
using VectorPipe.Collections.Columns;
using VectorPipe.Collections.Generations;
using VectorPipe.Collections.Manifests;
using VectorPipe.Collections.Records;
using VectorPipe.Collections.Waiting;
using VectorPipe.Collections.Writing;
using VectorPipe.Diagnostics;
using VectorPipe.Searching.State;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Log;

namespace VectorPipe.Collections.Rebuilding;

/// <summary>Makes checkpoints of a collection: finds what they change, lets them write, and puts them in force.</summary>
/// <param name="store">A collection that can be written to.</param>
internal sealed class CheckpointRun(CollectionStore store)
{
    private const int LookUpsTogether = 1024;

    // One writes the key directory while the other goes on; the crew of the checkpoint has its own.
    private const int ThreadsOfCheckpoint = 2;

    private readonly CollectionStore _store = store;
    private readonly CollectionWriter _writer = store.Writer!;

    // The page from which on old pages are renewed.
    private uint _scrubbed;

    // Whether a checkpoint may have left files behind that no manifest names.
    private bool _hasLeftovers;

    /// <summary>Makes a checkpoint of the generation in force.</summary>
    /// <param name="pinned">The writes, and what they change; leased.</param>
    /// <param name="log">The place in the log behind them.</param>
    /// <param name="keepsLog">Whether the log before that place is still needed: by a generation that is being built.</param>
    /// <param name="pace">How fast it goes.</param>
    /// <param name="cancellationToken">Cancels it; nothing is changed.</param>
    /// <returns>False if the pages have no room for all of them.</returns>
    /// <exception cref="IndexWriteException">A file could not be written; what was in force stays.</exception>
    public async Task<bool> RunAsync(
        PinnedView pinned, LogPosition log, bool keepsLog, CheckpointPace pace, CancellationToken cancellationToken)
    {
        CollectionGeneration generation = pinned.View.Generation!;
        bool isInDoubt = false;
        try
        {
            _store.RequireLock();
            if (_hasLeftovers)
                DeleteLeftovers();
            _hasLeftovers = true;
            using GraphCheckpoint checkpoint = Begin(pinned, pace, cancellationToken);
            if (await WriteAsync(checkpoint, pinned, _store.Manifest, pace, cancellationToken).ConfigureAwait(false) is not { } next)
                return false;
            await generation.Gate.WaitAsync(cancellationToken).ConfigureAwait(false);
            try
            {
                ContentMatches matches = await Task.Run(() => After(pinned, checkpoint), cancellationToken).ConfigureAwait(false);
                CollectionManifest manifest = next with { Log = log };
                await _writer
                    .RunAsync(() => Commit(pinned, manifest, keepsLog, checkpoint, matches, () => isInDoubt = true))
                    .ConfigureAwait(false);
            }
            finally
            {
                generation.Gate.Release();
            }

            return true;
        }
        catch (Exception e)
        {
            // Only a recovery can tell which manifest is in force, or go on after another writer.
            if (isInDoubt || _store.IsLockLost)
                _writer.Fail(e);
            if (e is IOException or UnauthorizedAccessException)
                throw new IndexWriteException($"{_store.Folder.Path}: the checkpoint could not be written: {e.Message}", e);
            throw;
        }
        finally
        {
            generation.Places!.Rollback();
        }
    }

    /// <summary>Makes a checkpoint of a generation that is not in force yet: nobody else has it.</summary>
    /// <param name="pinned">The writes above the generation.</param>
    /// <param name="manifest">The manifest that will bring it into force.</param>
    /// <param name="log">The place in the log behind the writes.</param>
    /// <param name="pace">How fast it goes.</param>
    /// <param name="cancellationToken">Cancels it; the generation is of no use any more.</param>
    /// <returns>The manifest that also names what it wrote; null if the pages have no room for all of them.</returns>
    /// <exception cref="IndexWriteException">A file could not be written; the generation is of no use any more.</exception>
    public async Task<CollectionManifest?> CatchUpAsync(
        PinnedView pinned, CollectionManifest manifest, LogPosition log, CheckpointPace pace, CancellationToken cancellationToken)
    {
        CollectionGeneration generation = pinned.View.Generation!;
        try
        {
            using GraphCheckpoint checkpoint = Begin(pinned, pace, cancellationToken, isInPlace: true);
            if (await WriteAsync(checkpoint, pinned, manifest, pace, cancellationToken).ConfigureAwait(false) is not { } next)
                return null;
            ContentMatches matches = await Task.Run(() => After(pinned, checkpoint), cancellationToken).ConfigureAwait(false);
            (GenerationContent content, NodeKeys keys) = Open(generation, next, checkpoint, matches);
            PutIn(generation, checkpoint, content, keys);
            return next with { Log = log };
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new IndexWriteException($"{_store.Folder.Path}: the next generation could not catch up: {e.Message}", e);
        }
        finally
        {
            generation.Places!.Rollback();
        }
    }

    private GraphCheckpoint Begin(PinnedView pinned, CheckpointPace pace, CancellationToken cancellationToken, bool isInPlace = false)
    {
        CollectionFolder folder = _store.Folder;
        CollectionGeneration generation = pinned.View.Generation!;
        uint oldest = _store.State.OldestCheckpoint(generation);
        if (folder.IsUnread())
        {
            generation.Places!.Reclaim(oldest);
            generation.KeyPlaces!.Reclaim(oldest);
        }

        generation.Reclaim(oldest);
        int most = (int)Math.Min(int.MaxValue, pinned.View.Writes);
        return new GraphCheckpoint(
            generation.Index, pinned.View.Changes, pinned.View.Checkpoint + 1, most, folder.Io, pace, cancellationToken)
        {
            LeastChangeBytes = _store.Options.Tuning.LeastChangeBytes,
            BeforeWrite = _store.RequireLock,
            IsInPlace = isInPlace,

            // Where there are records, the changed keys also tell which of them are in files of checkpoints.
            MostMovedKeys = CheckpointRecords.HasRecords(pinned) ? double.PositiveInfinity : _store.Options.Tuning.MostMovedKeys,
        };
    }

    private async Task<CollectionManifest?> WriteAsync(
        GraphCheckpoint checkpoint, PinnedView pinned, CollectionManifest manifest, CheckpointPace pace,
        CancellationToken cancellationToken)
    {
        using var threads = new BackgroundThreads("VectorPipe checkpoint", ThreadsOfCheckpoint, pace.IsBehind);
        return await threads.RunAsync(() => Write(checkpoint, pinned, manifest, cancellationToken)).ConfigureAwait(false);
    }

    private CollectionManifest? Write(
        GraphCheckpoint checkpoint, PinnedView pinned, CollectionManifest manifest, CancellationToken cancellationToken)
    {
        CollectionGeneration generation = pinned.View.Generation!;
        string directory = _store.Folder.GenerationPath(generation.Number);
        string path = Path.Combine(directory, ChangeFile.NameOf(checkpoint.Number));
        Delete(checkpoint, generation, pinned.Replaced(), cancellationToken);
        if (!checkpoint.TryAdd(pinned.Waiting()))
            return null;
        IReadOnlyList<FileEntry> files =
            checkpoint.Write(generation.Places!, generation.KeyPlaces!, path, ref _scrubbed, manifest.Changes);
        CollectionManifest next = manifest with
        {
            Checkpoint = checkpoint.Number,
            Changes = files,
            Keys = checkpoint.Keys ?? manifest.Keys,
        };
        var records = new CheckpointRecords(_store.Folder.Io, directory, next, () => _store.IsLockHeld);
        next = next with { LaterRecords = records.Write(pinned, checkpoint, cancellationToken) };
        _store.Folder.Io.SyncDirectory(directory);
        return next;
    }

    // Records that are replaced or deleted: a read for each finds its node.
    private static void Delete(
        GraphCheckpoint checkpoint, CollectionGeneration generation, IEnumerable<ulong> handles, CancellationToken cancellationToken)
    {
        using SearchSession session = generation.Index.OpenLookupSession();
        uint?[] nodes = new uint?[LookUpsTogether];
        foreach (ulong[] some in handles.Chunk(LookUpsTogether))
        {
            session.FindNodes(some, nodes, failed: null, cancellationToken);
            for (int i = 0; i < some.Length; i++)
            {
                if (nodes[i] is { } id)
                    checkpoint.Delete(some[i], id);
            }
        }
    }

    // Attributes that filters have needed before are kept for the next ones.
    private static ContentMatches After(PinnedView pinned, GraphCheckpoint checkpoint)
    {
        if (pinned.View.Content!.Matches.Columns is not { } before)
            return new ContentMatches();
        CollectionColumns after = before.Copy(checkpoint.Changes.NodeCount);
        foreach (uint id in checkpoint.Died)
            after.Remove(id);
        foreach (WaitingRecord record in pinned.Waiting())
        {
            bool isRecord = RecordBody.TryDecode(record.Body, out RecordBody body)
                && after.TryAdd(checkpoint.Moved[record.Handle]!.Value, body.Attributes.Span);
            Debug.Assert(isRecord, "records that wait were checked when they were written");
        }

        after.Seal();
        Debug.Assert(after.Count == checkpoint.Changes.Live, "a row for each node that lives");
        return new ContentMatches(after);
    }

    private void Commit(
        PinnedView pinned, CollectionManifest next, bool keepsLog, GraphCheckpoint checkpoint, ContentMatches matches, Action beforeRename)
    {
        CollectionState state = _store.State;
        CollectionGeneration generation = pinned.View.Generation!;
        _writer.Checkpoint();
        (GenerationContent content, NodeKeys keys) = Open(generation, next, checkpoint, matches);
        _store.Publish(next with { Displaced = state.ListDisplaced() }, beforeRename);
        PutIn(generation, checkpoint, content, keys);
        state.Publish(state.View.After(content, pinned.Sets));
        _store.Log(logger => CollectionLog.CheckpointWritten(
            logger, _store.Folder.Path, checkpoint.Number, pinned.View.Writes, checkpoint.Pages));
        DeleteLeftovers();
        try
        {
            if (!keepsLog && _store.IsLockHeld)
                _writer.Release(next.Log);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            _store.Log(logger => BuildLog.LeftoversStay(logger, e, _store.Folder.Path));
        }
    }

    // What a generation holds after a checkpoint.
    private (GenerationContent Content, NodeKeys Keys) Open(
        CollectionGeneration generation, CollectionManifest next, GraphCheckpoint checkpoint, ContentMatches matches)
    {
        NodeKeys keys = checkpoint.Keys is { } rewritten
            ? new NodeKeys(rewritten, IsBuilt: false, checkpoint.Changes.NodeCount, new MovedKeys())
            : generation.Index.Contents.Keys;
        RecordFiles records = generation.With(_store.Folder, checkpoint.Number, next.LaterRecords, keys.Moved);
        return (new GenerationContent(checkpoint.Changes, checkpoint.Number, records, matches), keys);
    }

    // First the keys: who has the new view finds all of its records; who has an old one is told that it is old. Each key is set once: a
    // look-up that began before the write must not find a key deleted that was replaced.
    private static void PutIn(CollectionGeneration generation, GraphCheckpoint checkpoint, GenerationContent content, NodeKeys keys)
    {
        if (checkpoint.Keys is { } directory)
        {
            generation.Index.Contents.Publish(keys);
            generation.KeyPlaces!.Commit(checkpoint.Number, directory);
        }
        else
        {
            foreach ((ulong handle, uint? id) in checkpoint.Moved)
                keys.Moved.Set(handle, id);
        }

        generation.Places!.Commit(checkpoint.Number, checkpoint.Retired);
        generation.Latest = content;
    }

    // Only files of this process: those of another writer have the same names, and its manifest names them.
    private void DeleteLeftovers()
    {
        try
        {
            if (!_store.IsLockHeld)
                return;
            _store.Folder.DeleteChanges(_store.Manifest);
            _hasLeftovers = false;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            _store.Log(logger => BuildLog.LeftoversStay(logger, e, _store.Folder.Path));
        }
    }
}
