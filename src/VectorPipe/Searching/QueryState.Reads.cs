using System.Diagnostics;
using VectorPipe.Pipeline;
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
        op.Bytes.CopyTo(new Span<byte>(copy, _index.Layout.PageSize));
        if (request.Mode == SearchMode.Beam)
            _landed[_landedCount++] = (page, (nint)copy);
        else
            Arrive(page, copy);
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

    /// <summary>Phase 2b: asks for the pages of the best unvisited candidates, up to the width left over.</summary>
    private void Submit(SearchRequest request, int most)
    {
        NodeLayout layout = _index.Layout;
        uint nodesPerPage = (uint)layout.NodesPerPage;
        while (most-- > 0 && _inFlight + _landedCount < request.BeamWidth && _candidates.Unvisited > 0)
        {
            uint page = _candidates.Id(_candidates.First(CandidateState.Unvisited)) / nodesPerPage;
            long now = request.Trace is null ? 0 : Stopwatch.GetTimestamp();
            if (_index.Cache is { } cache && cache.TryGet(page, out byte* cached))
            {
                // A hit is never in flight: the page is here at once, and the loop goes on with it.
                _cacheHits++;
                request.Trace?.Add(SearchTraceKind.CacheHit, now, now, page);
                Arrive(page, cached);
                _candidates.SetPageState(page * nodesPerPage, nodesPerPage, CandidateState.Submitted);
                return;
            }

            bool issued;
            try
            {
                issued = _session.TryIssue(SearchIndex.NodesFile, _index.PageOffset(page), layout.PageSize, this, _ticket, page);
            }
            catch (Devices.DeviceException e)
            {
                _error = e;
                return;
            }

            if (!issued)
            {
                // The candidate stays unvisited, so the read is tried again as soon as an op is free.
                IsStarved = true;
                return;
            }

            _inFlight++;
            _reads++;
            _pages.Set(page, null);
            _candidates.SetPageState(page * nodesPerPage, nodesPerPage, CandidateState.Submitted);
            request.Trace?.Issued(now, page, _inFlight);
        }
    }

    private void Arrive(uint page, byte* bytes)
    {
        _pages.Set(page, bytes);
        _arrived[_arrivedCount++] = page;
    }

    /// <summary>All reads of a beam have landed: their pages are there now, all at once.</summary>
    private void PassBarrier()
    {
        for (int i = 0; i < _landedCount; i++)
            Arrive(_landed[i].Page, (byte*)_landed[i].Bytes);
        _landedCount = 0;
    }

    /// <summary>Makes room for all that a query of a list size reads and sees, nearly always, so that no later one has to.</summary>
    private void Reserve(int listSize)
    {
        // Candidates that were expanded and then displaced come on top of the list.
        int expansions = Math.Min(listSize + (listSize / 4) + 32, MostReserved);
        NodeLayout layout = _index.Layout;
        int pages = (int)Math.Min(expansions, layout.PageCount(_index.Schema.Count));
        _seen.Reserve((int)Math.Min((long)expansions * layout.MaxDegree, _index.NodeCount));
        _pages.Reserve(pages);
        _arena.Reserve(pages);
    }
}
