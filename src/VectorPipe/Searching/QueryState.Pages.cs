using System.Diagnostics;
using System.Numerics;
using System.Runtime.Intrinsics;
using VectorPipe.Numerics;
using VectorPipe.Quantization;
using VectorPipe.Storage;

namespace VectorPipe.Searching;

/// <content>What pages offer: vectors, whose exact distances are the answer, and links, whose code distances lead on.</content>
internal sealed unsafe partial class QueryState
{
    // Page by page the codes of a step are too few for a block of look-ups, and are waited for; of many pages the last would not have been walked to, had those before it been scored: 1, 2, 3 and 4 together
    // score 3,077, 3,150, 3,233 and 3,327 codes a query (photo-SIFT 1M, recall@10 0.943).
    private const int PagesWalkedTogether = 3;

    // Ids whose codes are asked for at once, while the marks of the next ones are looked at.
    private const int MarkedTogether = 64;

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

                    // It has nothing to offer as a candidate any more. Only if it was met before it can be one.
                    if (!_seen.Add(id) && firstId is null)
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
        int links = 0;
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
                int count = page.LinkCount(slot);
                if (links + count > _batchIds.Length)
                {
                    Offer(Unseen(0, links));
                    links = 0;
                }

                long from = request.Trace is null ? 0 : Stopwatch.GetTimestamp();
                if (!TryFollow(page, number, slot, links))
                    break;
                _seen.Prefetch(_batchIds.AsSpan(links, count));
                links += count;
                request.Trace?.Add(SearchTraceKind.Expand, from, Stopwatch.GetTimestamp(), number, id, distance, count);
            }
        }

        Offer(Unseen(0, links));
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

        if (!TryFollow(page, number, slot, 0))
            return;
        int count = page.LinkCount(slot);
        Offer(Unseen(0, count));
        if (request.Trace is { } trace)
        {
            _exact.ComputeStrided(page.FirstVector + (nint)slot * _layout.VectorStride, _layout.VectorStride, 1, _pageDistances);
            trace.Add(SearchTraceKind.Expand, from, Stopwatch.GetTimestamp(), number, id, _pageDistances[0], count);
        }
    }

    // Puts a node's links into the batch, from a position on.
    private bool TryFollow(NodePage page, uint number, int slot, int at)
    {
        _hops++;
        if (page.TryReadLinks(slot, _index.NodeCount, _batchIds.AsSpan(at)))
            return true;
        _error = new IndexCorruptException(_index.NodePath, number + 1L, $"expected a list of {page.LinkCount(slot)} links below {_index.NodeCount} in slot {slot}, found other bytes or higher links");
        return false;
    }

    // Keeps, of so many ids in the batch from a position on, those that are new, and asks for their codes; returns where they end.
    private int Unseen(int first, int count)
    {
        int end = first;
        for (int from = first; from < first + count; from += MarkedTogether)
        {
            int fresh = _seen.AddNew(_batchIds.AsSpan(from, Math.Min(MarkedTogether, first + count - from)), _batchIds.AsSpan(end));
            CodeDistanceTable.Prefetch(_index.Codes.Pointer, _codes.CodeBytes, _batchIds.AsSpan(end, fresh));
            end += fresh;
        }

        return end;
    }

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
            int walked = 0;
            for (int end = Math.Min(width, _candidates.Count); rank < end && walked < PagesWalkedTogether; rank++)
            {
                uint page = _frontier.PageOf(rank);
                if (_pages.Get(page, out _) != PageState.Unknown)
                    continue;
                _pages.Set(page, PageState.Walked);
                graph.Prefetch(page);
                _walked[walked++] = page;
            }

            int fresh = 0;
            for (int i = 0; i < walked; i++)
                fresh = Through(graph, _walked[i], fresh);
            rank = Math.Min(rank, Offer(fresh));
        }
    }

    // Adds the nodes of a page and its links to the batch as far as they are new; returns the batch's size.
    private int Through(PageGraph graph, uint page, int fresh)
    {
        uint first = page * _nodesPerPage;
        int members = (int)Math.Min(_nodesPerPage, _index.NodeCount - first);
        for (int i = 0; i < members; i++)
            _batchIds[fresh + i] = first + (uint)i;
        fresh = Unseen(fresh, members);
        fixed (uint* ids = &_batchIds[fresh])
            return Unseen(fresh, graph.Read(page, ids));
    }

    /// <summary>Scores the first ids of the batch by their codes and offers them to the candidate pool.</summary>
    /// <returns>The best rank that one of them has got.</returns>
    private int Offer(int count)
    {
        if (count == 0)
            return _candidates.Count;
        _codes.Distances(_index.Codes.Pointer, _batchIds.AsSpan(0, count), _batchDistances);
        _codeDistances += count;
        Span<ulong> keys = _batchKeys.AsSpan(0, Near(count));
        RankSort.Sort(keys);
        for (int i = 0; i < keys.Length; i++)
        {
            _batchStates[i] = _pages.Get((uint)keys[i] / _nodesPerPage, out _) switch
            {
                PageState.Here => CandidateState.Loaded,
                PageState.InFlight => CandidateState.Submitted,
                _ => CandidateState.Unvisited,
            };
        }

        return _candidates.Merge(keys, _batchStates.AsSpan(0, keys.Length));
    }

    // Makes keys of the first candidates of the batch that the pool may take; returns how many.
    private int Near(int count)
    {
        float threshold = _candidates.Threshold;
        int near = 0;
        fixed (float* distances = _batchDistances)
        {
            fixed (uint* ids = _batchIds)
            {
                fixed (ulong* keys = _batchKeys)
                {
                    // Most are farther: eight are passed over at a time. Behind the last one lie old distances, which are not looked at.
                    Vector256<float> bound = Vector256.Create(threshold);
                    for (int i = 0; i < count; i += Vector256<float>.Count)
                    {
                        uint mask = ~Vector256.GreaterThan(Vector256.Load(distances + i), bound).ExtractMostSignificantBits() & Lanes(count - i);
                        for (; mask != 0; mask &= mask - 1)
                        {
                            int at = i + BitOperations.TrailingZeroCount(mask);
                            keys[near++] = CandidateKey.Of(distances[at], ids[at]);
                        }
                    }
                }
            }
        }

        return near;
    }

    private static uint Lanes(int left) => left >= Vector256<float>.Count ? 0xFFu : (1u << left) - 1;

    // A whole number of vectors.
    private static int BatchSize(NodeLayout layout) => Math.Max(1024, Math.Max(layout.MaxListLength, PagesWalkedTogether * (layout.NodesPerPage + PageGraphBlock.MaxLinks)) + 7 & ~7);
}
