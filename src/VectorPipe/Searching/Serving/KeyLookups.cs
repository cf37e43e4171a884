using System.Diagnostics;
using VectorPipe.Pipeline;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Searching.Serving;

/// <summary>The look-ups of a session: as many in flight as it has ops.</summary>
/// <remarks>Single-threaded by contract. All slots are allocated once.</remarks>
internal sealed class KeyLookups
{
    private readonly PendingIoSession _session;
    private readonly KeyLookup[] _slots;
    private readonly KeyLookup[] _free;
    private readonly WaitingRequests _waiting;
    private int _freeCount;

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

    public int Capacity => _slots.Length;

    /// <summary>Look-ups that have begun and have not ended.</summary>
    public int Active => _slots.Length - _freeCount;

    // Without an op that is free, or in flight, or kept by a stream, an issue fails, which is better than to wait for ever.
    private bool MayIssue => _session.Free > 0 || _session.Pending + _session.Kept == 0;

    /// <summary>Begins waiting look-ups while ops are free. If streams hold all ops, spares the next free one for a look-up.</summary>
    public void Issue()
    {
        while (_freeCount > 0 && MayIssue && _waiting.TryDequeue(RequestKind.Lookup, out PendingRequest? request))
        {
            if (!request.EndIfItMust())
                _free[--_freeCount].Start((LookupRequest)request, _session);
        }

        _session.Spared = _waiting.CountOf(RequestKind.Lookup) > 0 && _freeCount > 0 ? 1 : 0;
        AssertInvariants();
    }

    /// <summary>Ends cancelled look-ups whose reads are in flight.</summary>
    public void EndCancelled()
    {
        if (Active == 0)
            return;
        foreach (KeyLookup lookup in _slots)
            lookup.EndIfCancelled();
    }

    /// <summary>Ends all look-ups in flight with an error; their reads are dropped when they land.</summary>
    public void AbortActive(Exception error)
    {
        _session.Spared = 0;
        foreach (KeyLookup lookup in _slots)
            lookup.Abort(error);
        AssertInvariants();
    }

    public void Release(KeyLookup lookup) => _free[_freeCount++] = lookup;

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        int active = 0;
        foreach (KeyLookup lookup in _slots)
            active += lookup.IsActive ? 1 : 0;
        Debug.Assert(active == Active, "every slot is free or active");
    }
}
