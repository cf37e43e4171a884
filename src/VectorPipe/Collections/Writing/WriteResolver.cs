using System.Runtime.InteropServices;
using VectorPipe.Collections.Generations;
using VectorPipe.Collections.Records;
using VectorPipe.Collections.Waiting;

namespace VectorPipe.Collections.Writing;

/// <summary>Finds out what a write meets: the handle of its key, and whether there is a record of the key.</summary>
/// <remarks>
/// Only the writer's thread uses it, and reads by itself: look-ups on the run threads would wake one, and this one again, for each group.
/// </remarks>
internal sealed class WriteResolver(CollectionState state) : IDisposable
{
    private readonly Dictionary<ulong, bool> _inGeneration = [];
    private readonly Dictionary<ulong, ReadOnlyMemory<byte>> _bodies = [];
    private readonly Dictionary<ulong, VectorPipeException> _errors = [];
    private readonly List<ulong> _asked = [];
    private CollectionGeneration? _read;
    private SearchSession? _session;
    private uint?[] _nodes = [];

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
        _asked.Clear();
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
            _asked.Add(handle);
        }

        if (_asked.Count > 0)
            LookUp(generation);
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

    /// <summary>Closes what it reads with, because the writer's thread is about to end.</summary>
    public void LeaveThread() => GiveUpSession();

    /// <summary>Closes what it reads with. On the writer's thread, or after its end.</summary>
    public void Dispose() => CloseSession();

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
        if (!_bodies.TryGetValue(handle, out ReadOnlyMemory<byte> body))
            body = view.FindBody(handle);
        return body.Length == 0 ? Found.Nothing : RecordBody.KeyOf(body.Span).SequenceEqual(key) ? Found.Below : Found.OtherKey;
    }

    // A device queue that has failed is replaced, and the next one is asked.
    private void LookUp(CollectionGeneration generation)
    {
        Ask(generation);
        if (_session is { Reads.IsFaulted: false })
            return;
        GiveUpSession();
        foreach (ulong handle in _asked)
            _errors.Remove(handle);
        Ask(generation);
    }

    private void Ask(CollectionGeneration generation)
    {
        if (_nodes.Length < _asked.Count)
            _nodes = new uint?[_asked.Count];
        _nodes.AsSpan(0, _asked.Count).Clear();
        try
        {
            // The session of a generation that was replaced has been closed with it.
            if (_session is null || _read != generation)
                (_session, _read) = (generation.Index.OpenLookupSession(), generation);
            _session.FindNodes(CollectionsMarshal.AsSpan(_asked), _nodes, NoteError, default);
        }
        catch (VectorPipeException e)
        {
            foreach (ulong handle in _asked)
                _errors.TryAdd(handle, e);
            GiveUpSession();
            return;
        }

        for (int row = 0; row < _asked.Count; row++)
            _inGeneration[_asked[row]] = _nodes[row] is not null;

        void NoteError(int row, Exception error) =>
            _errors[_asked[row]] = error as VectorPipeException ?? new DeviceException($"A look-up failed: {error.Message}", error);
    }

    // The failure is that of the look-ups; a queue that cannot be closed after it has failed fails no others.
    private void GiveUpSession()
    {
        try
        {
            CloseSession();
        }
        catch (DeviceException)
        {
            // The look-ups go on with another queue, or fail with the error of this one.
        }
    }

    private void CloseSession()
    {
        SearchSession? session = _session;
        (_session, _read) = (null, null);
        session?.Dispose();
    }

    private ReadOnlyMemory<byte> FindBody(CollectionView view, ulong handle)
    {
        try
        {
            return view.FindBody(handle);
        }
        catch (VectorPipeException e)
        {
            _errors[handle] = e;
            return default;
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
