using System.Diagnostics;
using VectorPipe.Model.Search;
using VectorPipe.Pipeline;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.Pools;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Searching.Graph;

/// <content>Issues reads, and receives pages.</content>
internal sealed unsafe partial class GraphQuery
{
    // The best pages after so short a walk are nearly always among the best after all of it: see docs/decisions.md#a-query-alone.
    private const int EarlyWalk = 16;

    // With more queries at work in the index, the device has enough to do.
    private const int MostAlone = 4;

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

    // Whether a read could not be issued because no op was free.
    private bool _isStarved;

    // Whether the walk of the page graph before the first reads has not ended.
    private bool _walksOn;

    // Whether the device is idle but for this query and few of other threads. A beam must not depend on what else its session does.
    private bool IsAlone => !_plan!.IsBeam && !_index.Effort.IsQuick
        && _session.Capacity - _session.Free == _inFlight && _index.AtWork.Count <= MostAlone;

    public PendingIoOutcome OnRead(PendingIoContext op)
    {
        // The ticket tells whether the query that issued this read is over; the slot may serve another one.
        if (op.Ticket != _ticket || Request is not { } request)
            return PendingIoOutcome.Done;
        _inFlight--;
        if (Error is not null)
            return PendingIoOutcome.Done;
        long from = Stopwatch.GetTimestamp();
        uint page = (uint)op.Tag;
        try
        {
            _index.Verify(page, op.Pointer, _changes);
            byte* copy = _pages.Room();
            op.Bytes.CopyTo(new Span<byte>(copy, _layout.PageSize));
            _pages.Keep();
            _index.Cache?.Offer(PlaceOf(page), copy);
            _kept?.Offer(SearchIndex.NodesFile, PlaceOf(page), copy, _layout.PageSize);
            _pages.Land(page, copy);
        }
        catch (Exception e) when (e is IndexCorruptException or OutOfMemoryException)
        {
            Error = e;
            return PendingIoOutcome.Done;
        }

        CountWork(from);
        request.Trace?.Landed(from, page);
        return PendingIoOutcome.Done;
    }

    public void OnReadFailed(PendingIoContext op, Exception error)
    {
        if (op.Ticket != _ticket || !IsActive)
            return;
        _inFlight--;
        Error ??= new DeviceException($"{_index.NodePath}, page {op.Tag + 1}: {error.Message}", error);
    }

    private void BeginReads()
    {
        _inFlight = _chosenCount = _askedCount = _reads = _rounds = _cacheHits = 0;
        _isStarved = false;
    }

    // All reads of a beam have landed: its pages arrive together.
    private void PassBarrier()
    {
        Debug.Assert(_askedCount == _chosenCount, "all of a beam has been asked for");
        _pages.PassBarrier();
    }

    // An idle device reads the best pages of a short walk while the walk goes on.
    private void WalkOn()
    {
        _walksOn = false;
        if (IsAlone)
        {
            _remainingWidth.IsAlone = false;
            Choose(int.MaxValue);
            _session.SubmitIfIdle();
        }

        _scorer.Walk();
    }

    /// <summary>Phase 2: reads the pages that the policies choose.</summary>
    /// <param name="most">Most pages.</param>
    /// <returns>Whether no page is worth a read.</returns>
    private bool Submit(int most)
    {
        _remainingWidth.IsAlone = IsAlone;
        return Choose(most);
    }

    private bool Choose(int most)
    {
        // Issue the rest of the beam as first chosen. Choosing again while some of its reads are in flight could pick other pages, and
        // the result would depend on how many ops other queries hold.
        if (_askedCount == _chosenCount)
        {
            most = Math.Min(most, _widthPolicy.Width(_frontier) - _inFlight - _pages.Landed);
            if (most <= 0)
                return false;
            _work -= _workOfChoice;
            int left = _plan!.MostReads - _reads;
            _chosenCount = _pagePolicy.Choose(_frontier, _chosen.AsSpan(0, Math.Min(most, Math.Max(1, left))));
            _askedCount = 0;
            _isRoundCounted = false;
            if (_chosenCount > 0 && left == 0)
            {
                EndedEarlyBy = SearchEnd.MaxReads;
                _chosenCount = 0;
            }

            if (_chosenCount == 0)
                return true;
        }

        int reads = _reads;
        while (_askedCount < _chosenCount && TryRead(Request!, _chosen[_askedCount]))
            _askedCount++;
        if (_reads > reads && !_isRoundCounted)
        {
            _rounds++;
            _isRoundCounted = true;
        }

        // A pipeline chooses again when it has an op: it knows more by then.
        if (!_plan!.IsBeam)
            _askedCount = _chosenCount = 0;
        return false;
    }

    private bool TryRead(SearchRequest request, uint page)
    {
        long now = request.Trace is null ? 0 : Stopwatch.GetTimestamp();
        byte* cached = FindCached(page);
        if (cached is not null)
        {
            // A hit does not give the thread back, so a query that finds all its pages in the cache is cancelled here.
            request.CancellationToken.ThrowIfCancellationRequested();
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
        // Without an op the candidate stays unvisited, and the next free op reads its page.
        _isStarved = !_session.TryIssue(SearchIndex.NodesFile, _index.PageOffset(page, _changes), _layout.PageSize, this, _ticket, page);
        if (_isStarved)
            return false;
        _inFlight++;
        _reads++;
        _pages.NoteAsked(page);
        request.Trace?.Issued(now, page, _inFlight);
        return true;
    }

    // Caches know pages by their places: what lies at a place stays as it is while a search may read it.
    private uint PlaceOf(uint page) => _changes is null ? page : _changes.Places[page];

    private byte* FindCached(uint page)
    {
        if (_kept is { } kept && kept.Find(SearchIndex.NodesFile, PlaceOf(page)) is var known && known is not null)
            return known;
        if (_index.Cache is not { } cache)
            return null;
        byte* room = _pages.Room();
        byte* bytes = cache.Find(PlaceOf(page), room);
        if (bytes == room)
            _pages.Keep();
        return bytes;
    }
}
