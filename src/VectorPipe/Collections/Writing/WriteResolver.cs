using VectorPipe.Collections.Generations;
using VectorPipe.Collections.Records;
using VectorPipe.Collections.Waiting;

namespace VectorPipe.Collections.Writing;

/// <summary>Finds out what a write meets: the handle of its key, and whether there is a record of the key.</summary>
/// <remarks>Only the writer's thread uses it.</remarks>
internal sealed class WriteResolver(CollectionState state)
{
    private readonly Dictionary<ulong, bool> _inGeneration = [];
    private readonly Dictionary<ulong, byte[]> _bodies = [];
    private readonly Dictionary<ulong, VectorPipeException> _errors = [];

    /// <summary>Looks up in the generation, all at once, the keys that no waiting write answers for, before anything is changed.</summary>
    /// <param name="requests">The writes; those that a damaged page or a failed read keeps from being made fail, and are taken out.</param>
    public void Prepare(List<WriteRequest> requests)
    {
        _inGeneration.Clear();
        _bodies.Clear();
        _errors.Clear();
        CollectionView view = state.View;
        if (view.Generation is not { } generation)
            return;
        var lookups = new List<(ulong Handle, Task<uint?> Node)>();
        foreach (WriteOperation write in requests.SelectMany(request => request.Writes))
        {
            ulong handle = state.HandleOf(write.Home, write.Key);
            if (_inGeneration.ContainsKey(handle) || _bodies.ContainsKey(handle) || view.Hides(handle, long.MaxValue))
                continue;
            if (write.Key.Length > 0)
            {
                _bodies[handle] = FindBody(view, handle);
                continue;
            }

            _inGeneration[handle] = false;
            lookups.Add((handle, generation.Index.NodeOfAsync(handle, isOfWrite: true).AsTask()));
            if (lookups.Count == 1024)
                Take(lookups);
        }

        Take(lookups);
        if (_errors.Count > 0)
            requests.RemoveAll(FailIfUnknown);
    }

    /// <summary>Fills in what the write meets.</summary>
    /// <returns>Whether it changes anything: the deletion of a record that is not there does not.</returns>
    public bool Resolve(WriteOperation write)
    {
        write.Handle = state.HandleOf(write.Home, write.Key);
        Found found = Find(write.Handle, write.Key);
        if (found == Found.OtherKey)
        {
            if (write.Kind == WriteKind.Delete)
            {
                write.Existed = false;
                return false;
            }

            // Two keys of one hash: the later one moves on, and is remembered.
            while (found == Found.OtherKey)
                found = Find(++write.Handle, write.Key);
            state.Displaced[new KeyBytes(write.Key)] = write.Handle;
        }

        write.Existed = found is Found.InNewest or Found.Below;
        write.Replaces = found == Found.Below;
        return write.Kind == WriteKind.Upsert || write.Existed;
    }

    private Found Find(ulong handle, byte[] key)
    {
        CollectionView view = state.View;
        if (view.TryFindWaiting(handle, long.MaxValue, out WaitingRecord record))
        {
            if (record.IsDeletion)
                return Found.Nothing;
            if (!RecordBody.KeyOf(record.Body).SequenceEqual(key) && key.Length > 0)
                return Found.OtherKey;
            return view.Newest.Hides(handle, long.MaxValue) ? Found.InNewest : Found.Below;
        }

        if (view.Generation is null)
            return Found.Nothing;
        if (key.Length == 0)
            return _inGeneration.GetValueOrDefault(handle) ? Found.Below : Found.Nothing;
        if (!_bodies.TryGetValue(handle, out byte[]? body))
            body = view.FindBody(handle);
        return body.Length == 0 ? Found.Nothing : RecordBody.KeyOf(body).SequenceEqual(key) ? Found.Below : Found.OtherKey;
    }

    private void Take(List<(ulong Handle, Task<uint?> Node)> lookups)
    {
        foreach ((ulong handle, Task<uint?> node) in lookups)
        {
            try
            {
                _inGeneration[handle] = node.GetAwaiter().GetResult() is not null;
            }
            catch (VectorPipeException e)
            {
                _errors[handle] = e;
            }
        }

        lookups.Clear();
    }

    private byte[] FindBody(CollectionView view, ulong handle)
    {
        try
        {
            return view.FindBody(handle);
        }
        catch (VectorPipeException e)
        {
            _errors[handle] = e;
            return [];
        }
    }

    private bool FailIfUnknown(WriteRequest request)
    {
        foreach (WriteOperation write in request.Writes)
        {
            if (!_errors.TryGetValue(state.HandleOf(write.Home, write.Key), out VectorPipeException? error))
                continue;
            request.Fail(error);
            return true;
        }

        return false;
    }

    private enum Found
    {
        Nothing,
        OtherKey,
        InNewest,
        Below,
    }
}
