using System.Diagnostics;
using VectorPipe.Pipeline;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Searching.Serving;

/// <summary>One thread's look-ups: as many in flight as the session has ops.</summary>
/// <remarks>Single-threaded by contract. All slots are allocated once.</remarks>
internal sealed class KeyLookups
{
    private readonly PendingIoSession _session;
    private readonly KeyLookup[] _slots;
    private readonly KeyLookup[] _free;
    private readonly WaitingRequests _waiting;
    private int _freeCount;

    /// <param name="index">What is read; outlives the look-ups.</param>
    /// <param name="session">The thread's session.</param>
    /// <param name="waiting">The thread's requests that wait.</param>
    public KeyLookups(SearchIndex index, PendingIoSession session, WaitingRequests waiting)
    {
        _session = session;
        _waiting = waiting;
        _slots = new KeyLookup[session.Capacity];
        for (int i = 0; i < _slots.Length; i++)
            _slots[i] = new KeyLookup(index, this);
        _free = (KeyLookup[])_slots.Clone();
        _freeCount = _free.Length;
    }

    /// <summary>Most look-ups in flight.</summary>
    public int Capacity => _slots.Length;

    /// <summary>Look-ups that were started and have not ended.</summary>
    public int Active => _slots.Length - _freeCount;

    /// <summary>
    /// Whether an op is free, or none can ever become free: then an issue says so by an error, which is better than to wait for ever. What
    /// streams keep comes back.
    /// </summary>
    private bool MayIssue => _session.Free > 0 || _session.Pending + _session.Kept == 0;

    /// <summary>
    /// Starts look-ups that wait while ops are free. If streams hold all ops, the next that comes back is spared for a look-up.
    /// </summary>
    public void Issue()
    {
        while (_freeCount > 0 && MayIssue && _waiting.TryDequeue(RequestKind.Lookup, out PendingRequest? request))
        {
            if (!request.FailIfCancelled())
                _free[--_freeCount].Start((LookupRequest)request, _session);
        }

        _session.Spared = _waiting.CountOf(RequestKind.Lookup) > 0 && _freeCount > 0 ? 1 : 0;
        AssertInvariants();
    }

    /// <summary>Ends look-ups that were cancelled while their reads are in flight.</summary>
    public void EndCancelled()
    {
        if (Active == 0)
            return;
        foreach (KeyLookup lookup in _slots)
            lookup.EndIfCancelled();
    }

    /// <summary>Ends all that are in flight with an error; their reads are dropped when they land.</summary>
    public void AbortActive(Exception error)
    {
        _session.Spared = 0;
        foreach (KeyLookup lookup in _slots)
            lookup.Abort(error);
        AssertInvariants();
    }

    /// <summary>Takes a slot back whose look-up has ended.</summary>
    public void Release(KeyLookup lookup) => _free[_freeCount++] = lookup;

    [Conditional("DEBUG")]
    private void AssertInvariants() => Debug.Assert(_slots.Count(lookup => lookup.IsActive) == Active, "every slot is free or active");
}
