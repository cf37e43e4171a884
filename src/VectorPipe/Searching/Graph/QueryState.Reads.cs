using System.Diagnostics;
using VectorPipe.Model.Search;
using VectorPipe.Pipeline;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.Pools;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Searching.Graph;

/// <content>Reads: which are issued, and what lands.</content>
internal sealed unsafe partial class QueryState
{
    private readonly uint _nodesPerPage;
    private readonly uint[] _chosen = new uint[GraphSearch.MaxBeamWidth];
    private long _ticket;
    private int _inFlight;
    private int _chosenCount;
    private int _askedCount;
    private bool _isRoundCounted;
    private int _reads;
    private int _rounds;
    private int _cacheHits;

    /// <summary>Whether a read could not be issued because no op was free.</summary>
    public bool IsStarved { get; private set; }

    /// <inheritdoc/>
    public PendingIoOutcome OnRead(PendingIoContext op)
    {
        // The query that issued this read may be over, and the slot may serve another one: its ticket tells.
        if (op.Ticket != _ticket || _request is not { } request)
            return PendingIoOutcome.Done;
        _inFlight--;
        if (_error is not null)
            return PendingIoOutcome.Done;
        long from = Stopwatch.GetTimestamp();
        uint page = (uint)op.Tag;
        try
        {
            _index.Verify(page, op.Pointer);
            byte* copy = _pages.Room();
            op.Bytes.CopyTo(new Span<byte>(copy, _layout.PageSize));
            _pages.Keep();
            _index.Cache?.Offer(page, copy);
            _pages.Land(page, copy);
        }
        catch (Exception e) when (e is IndexCorruptException or OutOfMemoryException)
        {
            _error = e;
            return PendingIoOutcome.Done;
        }

        long to = Stopwatch.GetTimestamp();
        _cpuTicks += to - from;
        request.Trace?.Landed(from, page);
        return PendingIoOutcome.Done;
    }

    /// <inheritdoc/>
    public void OnReadFailed(PendingIoContext op, Exception error)
    {
        if (op.Ticket != _ticket || _request is null)
            return;
        _inFlight--;
        _error ??= new DeviceException($"{_index.NodePath}, page {op.Tag + 1}: {error.Message}", error);
    }

    private void BeginReads()
    {
        _inFlight = _chosenCount = _askedCount = _reads = _rounds = _cacheHits = 0;
        IsStarved = false;
    }

    /// <summary>All reads of a beam have landed: its pages are there now, all at once.</summary>
    private void PassBarrier()
    {
        Debug.Assert(_askedCount == _chosenCount, "all of a beam has been asked for");
        _pages.PassBarrier();
    }

    /// <summary>Phase 2: asks for the pages that the policies choose.</summary>
    /// <param name="most">Most pages to ask for.</param>
    /// <returns>Whether nothing is worth a read.</returns>
    private bool Submit(int most)
    {
        // Issue the rest of the beam as first chosen. Choosing again while some of its reads are in flight could pick other pages, and
        // the result would depend on how many ops other queries hold.
        if (_askedCount == _chosenCount)
        {
            most = Math.Min(most, _policies.Width.Width(_frontier) - _inFlight - _pages.Landed);
            if (most <= 0)
                return false;
            _work -= _workOfChoice;
            _chosenCount = _policies.Pages.Choose(_frontier, _chosen.AsSpan(0, most));
            _askedCount = 0;
            _isRoundCounted = false;
            if (_chosenCount == 0)
                return true;
        }

        int reads = _reads;
        while (_askedCount < _chosenCount && TryRead(_request!, _chosen[_askedCount]))
            _askedCount++;
        if (_reads > reads && !_isRoundCounted)
        {
            _rounds++;
            _isRoundCounted = true;
        }

        // A pipeline knows more by the time at which it has an op.
        if (!_plan!.IsBeam)
            _askedCount = _chosenCount = 0;
        return false;
    }

    private bool TryRead(SearchRequest request, uint page)
    {
        long now = request.Trace is null ? 0 : Stopwatch.GetTimestamp();
        if (_index.Cache is { } cache && FindCached(cache, page) is var cached && cached is not null)
        {
            // A hit is never in flight. Nor does it give the thread back, so it is where a query that finds all its pages is cancelled.
            if (request.CancellationToken.IsCancellationRequested)
            {
                _error = new OperationCanceledException(request.CancellationToken);
                return false;
            }

            _cacheHits++;
            request.Trace?.Add(SearchTraceKind.CacheHit, now, now, page);
            _pages.NoteAsked(page);
            _pages.Land(page, cached);
        }
        else if (!TryIssue(request, page, now))
        {
            return false;
        }

        _candidates.SetPageState(page * _nodesPerPage, _nodesPerPage, CandidateState.Submitted);
        return true;
    }

    private bool TryIssue(SearchRequest request, uint page, long now)
    {
        try
        {
            // A candidate stays unvisited without an op, so the read is tried again as soon as one is free.
            IsStarved = !_session.TryIssue(SearchIndex.NodesFile, _index.PageOffset(page), _layout.PageSize, this, _ticket, page);
        }
        catch (DeviceException e)
        {
            _error = e;
            return false;
        }

        if (IsStarved)
            return false;
        _inFlight++;
        _reads++;
        _pages.NoteAsked(page);
        request.Trace?.Issued(now, page, _inFlight);
        return true;
    }

    private byte* FindCached(IPageCache cache, uint page)
    {
        byte* room = _pages.Room();
        byte* bytes = cache.Find(page, room);
        if (bytes == room)
            _pages.Keep();
        return bytes;
    }
}
