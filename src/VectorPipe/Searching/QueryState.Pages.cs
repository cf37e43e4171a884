using System.Diagnostics;
using VectorPipe.Storage;

namespace VectorPipe.Searching;

/// <content>What pages offer: vectors, whose exact distances are the answer, and links, whose code distances lead on.</content>
internal sealed unsafe partial class QueryState
{
    /// <summary>Phase 1: exact distances of all vectors of the pages that have arrived; in the merged layout the links of near nodes, too.</summary>
    private void TakeInArrived(SearchRequest request)
    {
        if (_arrivedCount == 0)
            return;

        // First the candidates of all pages: a replica in one of them may stand for a candidate that lies in another.
        CandidateState state = _layout.IsMerged ? CandidateState.Visited : CandidateState.Loaded;
        int wasted = 0;
        for (int i = 0; i < _arrivedCount; i++)
            wasted += _candidates.SetPageState(_arrived[i] * _nodesPerPage, _nodesPerPage, state) == 0 ? 1 : 0;
        for (int i = 0; i < _arrivedCount; i++)
        {
            _pages.Get(_arrived[i], out byte* bytes);
            if (_layout.IsMerged)
                TakeInMerged(request, _arrived[i], bytes);
            else
                TakeInPlain(request, _arrived[i], bytes);
        }

        _frontier.NoteTaken(_arrivedCount, wasted);
        if (_layout.IsMerged)
        {
            FollowArrived(request);
            Walk();
        }

        _arrivedCount = 0;
    }

    private void TakeInPlain(SearchRequest request, uint number, byte* bytes)
    {
        if (!_isLate)
        {
            Score(request, number, bytes);
        }
        else
        {
            // Pages that are found in the cache come without end: reads are not waited for between them.
            if (_owedCount == _owed.Length)
                ScoreOwed(request);
            _owed[_owedCount++] = (number, (nint)bytes);
        }
    }

    private void ScoreOwed(SearchRequest request)
    {
        for (int i = 0; i < _owedCount; i++)
            Score(request, _owed[i].Page, (byte*)_owed[i].Bytes);
        _owedCount = 0;
    }

    /// <summary>Plain: exact distances of all vectors of a page.</summary>
    private void Score(SearchRequest request, uint number, byte* bytes)
    {
        long from = request.Trace is null ? 0 : Stopwatch.GetTimestamp();
        var page = new NodePage(bytes, _layout);
        int count = page.Count;
        Span<float> distances = _pageDistances.AsSpan(0, count);
        _exact.ComputeStrided(page.FirstVector, _layout.VectorStride, count, distances);
        _exactDistances += count;
        for (int slot = 0; slot < count; slot++)
            Result(page, slot, number * _nodesPerPage + (uint)slot, distances[slot]);
        request.Trace?.Add(SearchTraceKind.TakeIn, from, Stopwatch.GetTimestamp(), number, count: count);
    }

    private void TakeInMerged(SearchRequest request, uint number, byte* bytes)
    {
        long from = request.Trace is null ? 0 : Stopwatch.GetTimestamp();
        var page = new NodePage(bytes, _layout);
        if (page.FindMisplaced(number, _index.NodeCount) is { } defect)
        {
            _error ??= new IndexCorruptException(_index.NodePath, number + 1L, defect);
            return;
        }

        uint firstId = number * _nodesPerPage;
        int fresh = TakeInRun(page, 0, page.Count, firstId) + TakeInRun(page, (int)_nodesPerPage, page.ReplicaCount, null);
        request.Trace?.Add(SearchTraceKind.TakeIn, from, Stopwatch.GetTimestamp(), number, count: fresh);
    }

    // Vectors that other pages brought before are passed over: the rest is computed in as few pieces as they leave.
    private int TakeInRun(NodePage page, int firstSlot, int count, uint? firstId)
    {
        int taken = 0;
        for (int i = 0; i < count;)
        {
            int run = i;
            while (run < count && !_known.TryGet(IdOf(page, run, firstId), out _))
                run++;
            if (run > i)
            {
                Span<float> distances = _pageDistances.AsSpan(0, run - i);
                _exact.ComputeStrided(page.FirstVector + (nint)(firstSlot + i) * _layout.VectorStride, _layout.VectorStride, run - i, distances);
                for (int j = i; j < run; j++)
                {
                    uint id = IdOf(page, j, firstId);
                    _known.Add(id, distances[j - i]);
                    Result(page, firstSlot + j, id, distances[j - i]);
                    if (firstId is null)
                        _candidates.SetPageState(id, 1, CandidateState.Visited);
                }

                taken += run - i;
            }

            i = run + 1;
        }

        _exactDistances += taken;
        return taken;
    }

    private static uint IdOf(NodePage page, int index, uint? firstId) => firstId is { } first ? first + (uint)index : page.ReplicaId(index);

    private void Result(NodePage page, int slot, uint id, float distance)
    {
        if (distance <= _results.Threshold && page.State(slot) == NodeState.Live)
            _results.Insert(distance, page.Key(slot), id);
    }

    /// <summary>Merged: follows the links of the nodes that are near enough, of all pages that have just been taken in.</summary>
    private void FollowArrived(SearchRequest request)
    {
        float kth = _frontier.KthDistance();
        int fresh = 0;
        for (int i = 0; i < _arrivedCount && _error is null; i++)
        {
            uint number = _arrived[i];
            _pages.Get(number, out byte* bytes);
            var page = new NodePage(bytes, _layout);
            for (int slot = 0; slot < page.Count && _error is null; slot++)
            {
                uint id = number * _nodesPerPage + (uint)slot;
                if (!_known.TryGet(id, out float distance) || !_frontier.Model.IsWithin(distance, request.Plan.FollowFactor, kth))
                    continue;
                if (fresh + page.LinkCount(slot) > _batchIds.Length)
                {
                    Offer(fresh);
                    fresh = 0;
                }

                long from = request.Trace is null ? 0 : Stopwatch.GetTimestamp();
                int before = fresh;
                fresh = Follow(page, number, slot, fresh);
                request.Trace?.Add(SearchTraceKind.Expand, from, Stopwatch.GetTimestamp(), number, id, distance, fresh - before);
            }
        }

        Offer(fresh);
    }

    /// <summary>Plain: follows the links of a node whose page is here.</summary>
    private void Expand(SearchRequest request, int rank)
    {
        long from = request.Trace is null ? 0 : Stopwatch.GetTimestamp();
        uint id = _candidates.Id(rank);
        _candidates.SetState(rank, CandidateState.Visited);
        uint number = id / _nodesPerPage;
        _pages.Get(number, out byte* bytes);
        var page = new NodePage(bytes, _layout);
        int slot = (int)(id - number * _nodesPerPage);
        if (slot >= page.Count)
        {
            _error = new IndexCorruptException(_index.NodePath, number + 1L, $"expected a node in slot {slot}, found {page.Count} slots in use");
            return;
        }

        int fresh = Follow(page, number, slot, 0);
        Offer(fresh);
        if (request.Trace is { } trace)
        {
            _exact.ComputeStrided(page.FirstVector + (nint)slot * _layout.VectorStride, _layout.VectorStride, 1, _pageDistances);
            trace.Add(SearchTraceKind.Expand, from, Stopwatch.GetTimestamp(), number, id, _pageDistances[0], fresh);
        }
    }

    // Adds the links of a list that are new to the batch, from a position on; returns the batch's size.
    private int Follow(NodePage page, uint number, int slot, int fresh)
    {
        int count = page.LinkCount(slot);
        _hops++;
        if (!page.TryReadLinks(slot, _index.NodeCount, _batchIds.AsSpan(fresh)))
        {
            _error = new IndexCorruptException(_index.NodePath, number + 1L, $"expected a list of {count} links below {_index.NodeCount} in slot {slot}, found other bytes or higher links");
            return fresh;
        }

        return Unseen(fresh, count);
    }

    // Keeps, of so many ids in the batch from a position on, those that are new; returns where they end.
    private int Unseen(int first, int count) => first + _seen.AddNew(_batchIds.AsSpan(first, count));

    /// <summary>Scores where the query enters.</summary>
    private void Enter(in SearchPlan plan)
    {
        if (plan.EntersAtRecentResults && _recent is { Count: > 0 } recent)
        {
            recent.Ids.CopyTo(_batchIds);
            Offer(Unseen(0, recent.Count));
        }

        uint[] nodes = _index.Entries;
        for (int from = 0; from < nodes.Length; from += _batchIds.Length)
        {
            ReadOnlySpan<uint> entries = nodes.AsSpan(from, Math.Min(_batchIds.Length, nodes.Length - from));
            entries.CopyTo(_batchIds);
            Offer(Unseen(0, entries.Length));
        }

        Walk();
    }

    /// <summary>Walks the page graph by code distance alone: as long as one of the best candidates lies in a page that was neither walked through nor asked for.</summary>
    private void Walk()
    {
        if (_index.PageGraph is not { } graph)
            return;
        int width = _index.Effort.WalkWidth;
        for (int rank = 0; rank < Math.Min(width, _candidates.Count);)
        {
            uint page = _frontier.PageOf(rank);
            if (_pages.Get(page, out _) != PageState.Unknown)
            {
                rank++;
                continue;
            }

            _pages.Set(page, PageState.Walked);
            uint first = page * _nodesPerPage;
            int members = (int)Math.Min(_nodesPerPage, _index.NodeCount - first);
            for (int i = 0; i < members; i++)
                _batchIds[i] = first + (uint)i;
            int fresh = Unseen(0, members);
            fixed (uint* ids = &_batchIds[fresh])
                fresh = Unseen(fresh, graph.Read(page, ids));
            rank = Math.Min(rank + 1, Offer(fresh));
        }
    }

    /// <summary>Scores the first ids of the batch by their codes and offers them to the candidate pool.</summary>
    /// <returns>The best rank that one of them has got.</returns>
    private int Offer(int count)
    {
        if (count == 0)
            return _candidates.Count;
        _codes.Distances(_index.Codes.Pointer, _batchIds.AsSpan(0, count), _batchDistances);
        _codeDistances += count;
        float threshold = _candidates.Threshold;
        int near = 0;
        for (int i = 0; i < count; i++)
        {
            if (!(_batchDistances[i] > threshold))
                _batchKeys[near++] = CandidateKey.Of(_batchDistances[i], _batchIds[i]);
        }

        Span<ulong> keys = _batchKeys.AsSpan(0, near);
        keys.Sort();
        int offered = 0;
        foreach (ulong key in keys)
        {
            PageState page = _pages.Get((uint)key / _nodesPerPage, out _);

            // Merged: a node whose vector is known has nothing to offer any more; its links are followed when its page is taken in.
            if (_layout.IsMerged && (page == PageState.Here || _known.TryGet((uint)key, out _)))
                continue;
            keys[offered] = key;
            _batchStates[offered++] = page switch
            {
                PageState.Here => CandidateState.Loaded,
                PageState.InFlight => CandidateState.Submitted,
                _ => CandidateState.Unvisited,
            };
        }

        return _candidates.Merge(keys[..offered], _batchStates.AsSpan(0, offered));
    }

    private static int BatchSize(NodeLayout layout) => Math.Max(1024, Math.Max(layout.MaxListLength, layout.NodesPerPage) + PageGraphBlock.MaxLinks);
}
