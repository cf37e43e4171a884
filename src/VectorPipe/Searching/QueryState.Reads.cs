using System.Diagnostics;
using VectorPipe.Pipeline;
using VectorPipe.Searching.Caching;
using VectorPipe.Storage;

namespace VectorPipe.Searching;

/// <content>Reads: what is issued, what lands, and the memory for it.</content>
internal sealed unsafe partial class QueryState
{
    /// <summary>Most expansions that memory is reserved for: a longer list grows as it needs.</summary>
    private const int MostReserved = 1024;

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
        }
        catch (IndexCorruptException e)
        {
            _error = e;
            return PendingIoOutcome.Done;
        }

        byte* copy = _arena.Take();
        op.Bytes.CopyTo(new Span<byte>(copy, _layout.PageSize));
        _index.Cache?.Offer(page, copy);
        Arrive(request, page, copy);
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
        _error ??= new Devices.DeviceException($"{_index.NodePath}, page {op.Tag + 1}: {error.Message}", error);
    }

    /// <summary>Phase 2b: asks for the pages that the policies choose.</summary>
    /// <param name="most">Most pages to ask for.</param>
    /// <returns>Whether nothing is worth a read.</returns>
    private bool Submit(int most)
    {
        // What is left of a beam is asked for as it was chosen: a choice made anew, with some of its reads under way, may be another, and the answer would follow from who else wanted ops.
        if (_askedCount == _chosenCount)
        {
            most = Math.Min(most, _policies.Width.Width(_frontier) - _inFlight - _landedCount);
            if (most <= 0)
                return false;
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
        if (_request!.Plan.Mode == SearchMode.Pipelined)
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
            _pages.Set(page, PageState.InFlight);
            Arrive(request, page, cached);
        }
        else
        {
            try
            {
                // A candidate stays unvisited without an op, so the read is tried again as soon as one is free.
                IsStarved = !_session.TryIssue(SearchIndex.NodesFile, _index.PageOffset(page), _layout.PageSize, this, _ticket, page);
            }
            catch (Devices.DeviceException e)
            {
                _error = e;
                return false;
            }

            if (IsStarved)
                return false;
            _inFlight++;
            _reads++;
            _pages.Set(page, PageState.InFlight);
            request.Trace?.Issued(now, page, _inFlight);
        }

        _candidates.SetPageState(page * _nodesPerPage, _nodesPerPage, CandidateState.Submitted);
        return true;
    }

    private byte* FindCached(IPageCache cache, uint page)
    {
        byte* room = _arena.Next();
        byte* bytes = cache.Find(page, room);
        return bytes == room ? _arena.Take() : bytes;
    }

    /// <summary>A verified page is here. A beam takes it in behind its barrier, wherever it came from: so a beam answers the same with any cache, and with none.</summary>
    private void Arrive(SearchRequest request, uint page, byte* bytes)
    {
        if (request.Plan.Mode == SearchMode.Beam)
            _landed[_landedCount++] = (page, (nint)bytes);
        else
            Arrive(page, bytes);
    }

    private void Arrive(uint page, byte* bytes)
    {
        _pages.Set(page, PageState.Here, bytes);
        _arrived[_arrivedCount++] = page;
    }

    /// <summary>All reads of a beam have landed: their pages are there now, all at once.</summary>
    private void PassBarrier()
    {
        Debug.Assert(_askedCount == _chosenCount, "all of a beam has been asked for");
        for (int i = 0; i < _landedCount; i++)
            Arrive(_landed[i].Page, (byte*)_landed[i].Bytes);
        _landedCount = 0;
    }

    /// <summary>Makes room for all that a query of a list size reads and sees, nearly always, so that no later one has to.</summary>
    private void Reserve(int listSize)
    {
        // Candidates that were expanded and then displaced come on top of the list.
        int expansions = Math.Min(listSize + (listSize / 4) + 32, MostReserved);
        int pages = (int)Math.Min(expansions, _layout.PageCount(_index.Schema.Count));
        int links = _layout.IsMerged ? NodeLayout.MaxLinks / 2 : _layout.MaxListLength;
        _seen.Reserve((int)Math.Min((long)expansions * links, _index.NodeCount));
        _known.Reserve(_layout.IsMerged ? pages * _layout.VectorsPerPage : 0);
        _pages.Reserve(pages);
        _arena.Reserve(pages);
    }
}
