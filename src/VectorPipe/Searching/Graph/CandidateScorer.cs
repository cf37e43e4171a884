using System.Numerics;
using System.Runtime.Intrinsics;
using VectorPipe.Numerics.Sorting;
using VectorPipe.Quantization;
using VectorPipe.Searching.Policies;
using VectorPipe.Searching.Pools;
using VectorPipe.Searching.Requests;
using VectorPipe.Searching.State;
using VectorPipe.Storage.Nodes;

namespace VectorPipe.Searching.Graph;

/// <summary>Scores the nodes that a walk meets by their codes, each once, and offers the near ones to the candidate pool.</summary>
/// <remarks>
/// Collects ids in a batch, so that their codes are prefetched together and computed in one go. Not thread-safe; one a query slot.
/// </remarks>
internal sealed unsafe partial class CandidateScorer
{
    // One page has too few codes for a block of look-ups; of many, the last would not have been chosen after the first were scored.
    private const int PagesWalkedTogether = 3;

    // A pool grows while its last entry alone promises so many times as much as a page must, to so many times its length at the beginning.
    // See docs/decisions.md#a-pool-that-grows.
    private const int PromiseOfLast = 4;
    private const int MostGrowth = 4;

    // Ids whose codes are prefetched together, while the marks of the next ones are checked.
    private const int MarkedTogether = 64;

    private readonly GraphIndex _index;
    private readonly uint _nodesPerPage;
    private readonly uint _fill;
    private readonly CodeDistanceTable _codes;
    private readonly Frontier _frontier;
    private readonly CandidatePool _candidates;
    private readonly PageLedger _pages;
    private readonly SeenSet _seen = new();
    private readonly uint[] _walked = new uint[PagesWalkedTogether];
    private readonly uint[] _ids;
    private readonly float[] _distances;
    private readonly ulong[] _keys;
    private readonly CandidateState[] _states;
    private GraphChanges? _changes;
    private int _walkWidth;
    private int _mostCandidates;
    private int _answerEnd;
    private float _leastDeviations;

    public CandidateScorer(GraphIndex index, Frontier frontier, PageLedger pages)
    {
        NodeLayout layout = index.Layout;
        _index = index;
        _frontier = frontier;
        _candidates = frontier.Candidates;
        _pages = pages;
        _nodesPerPage = (uint)layout.NodesPerPage;
        _fill = (uint)layout.Fill;
        _codes = new CodeDistanceTable(layout.Dimension, index.Schema.CodeBytes);

        // A whole number of vectors.
        int walked = PagesWalkedTogether * (layout.NodesPerPage + PageGraphBlock.MaxLinks + GraphChanges.MostFollowed);
        _ids = new uint[Math.Max(1024, Math.Max(layout.MaxListLength, walked) + 7 & ~7)];
        _distances = new float[_ids.Length];
        _keys = new ulong[_ids.Length];
        _states = new CandidateState[_ids.Length];
    }

    public int Computed { get; private set; }

    /// <summary>Room for ids to be scored.</summary>
    public Span<uint> Batch => _ids;

    /// <summary>Begins a query, in the form that is coded.</summary>
    /// <param name="query">The query.</param>
    /// <param name="changes">What checkpoints changed; null for nothing.</param>
    /// <param name="walkWidth">Best candidates whose pages are walked before a read.</param>
    public void Begin(ReadOnlySpan<float> query, GraphChanges? changes, int walkWidth)
    {
        _changes = changes;
        _walkWidth = walkWidth;
        _matches = null;
        Strategy = FilterStrategy.None;
        Computed = 0;
        _mostCandidates = 0;
        _codes.SetQuery(_index.CodeBook.Get(), _index.Schema.Metric, query);
        _seen.Clear();
    }

    /// <summary>Lets the candidate pool grow while its last entry alone promises far more than a page must.</summary>
    /// <param name="threshold">Results that a page must promise.</param>
    /// <param name="answerEnd">Candidates from the beginning of the pool among which an answer would be.</param>
    public void GrowPool(float threshold, int answerEnd)
    {
        _mostCandidates = Math.Min(MostGrowth * _candidates.ListSize, GraphSearch.MaxListSize);
        _answerEnd = answerEnd;
        _leastDeviations = GainPolicy.DeviationsFor(PromiseOfLast * threshold);
    }

    /// <summary>Ends a query: nothing of a checkpoint stays in memory for an idle slot.</summary>
    public void End()
    {
        _changes = null;
        _matches = null;
    }

    public void Reserve(int ids) => _seen.Reserve(ids);

    /// <summary>Marks a node that needs no score. False if it was met before.</summary>
    public bool Mark(uint id) => _seen.Add(id);

    /// <summary>Prefetches the marks of ids in the batch.</summary>
    public void Prefetch(int first, int count) => _seen.Prefetch(_ids.AsSpan(first, count));

    /// <summary>Scores the first ids of the batch that are new, and offers them to the pool.</summary>
    public void Score(int count) => Offer(Unseen(0, FollowsFarLinks ? Matching(count) : count));

    /// <summary>Adds the waiting links of a page that was read to the batch; returns its size.</summary>
    public int AddWaiting(uint page, int count)
    {
        if (_changes is null || !_changes.Waiting.HasAny(page))
            return count;
        if (count + GraphChanges.MostFollowed > _ids.Length)
        {
            Score(count);
            count = 0;
        }

        fixed (uint* ids = &_ids[count])
            return count + _changes.CopyWaiting(page, ids);
    }

    /// <summary>Scores the entry points, those of the index and more if there are any, and walks from them.</summary>
    /// <param name="more">More entry points, or null.</param>
    /// <param name="mostWalked">Best candidates whose pages are walked, if fewer than otherwise.</param>
    public void Enter(IEntrySource? more, int mostWalked)
    {
        if (more is not null)
            Score(more.CopyTo(_ids));
        uint[] nodes = _index.Entries;
        for (int from = 0; from < nodes.Length; from += _ids.Length)
        {
            ReadOnlySpan<uint> entries = nodes.AsSpan(from, Math.Min(_ids.Length, nodes.Length - from));
            entries.CopyTo(_ids);
            Score(ToLive(entries.Length));
        }

        Walk(Math.Min(mostWalked, _walkWidth));
    }

    /// <summary>Lets the pool grow if it must, and walks the page graph.</summary>
    /// <remarks>While one of the best candidates lies in a page that was neither walked nor read.</remarks>
    public void Walk() => Walk(_walkWidth);

    private void Walk(int width)
    {
        GrowIfLastPromises();
        if (Strategy is FilterStrategy.Codes or FilterStrategy.Cells || (_changes?.PageGraph ?? _index.PageGraph) is not { } graph)
            return;
        for (int rank = 0; rank < Math.Min(width, _candidates.Count);)
        {
            int walked = 0;
            for (int end = Math.Min(width, _candidates.Count); rank < end && walked < PagesWalkedTogether; rank++)
            {
                uint page = _frontier.PageOf(rank);
                if (_pages.StateOf(page) != PageState.Unknown)
                    continue;
                _pages.NoteWalked(page);
                if (_changes is null)
                    graph.Prefetch(page);
                else
                    _changes.Prefetch(page);
                _walked[walked++] = page;
            }

            int fresh = 0;
            for (int i = 0; i < walked; i++)
                fresh = _changes is null ? Through(graph, _walked[i], fresh) : Through(_changes, _walked[i], fresh);
            rank = Math.Min(rank, Offer(fresh));
            GrowIfLastPromises();
        }
    }

    // Adds those nodes and links of a page to the batch that are new; returns the batch's size.
    private int Through(PageGraph graph, uint page, int fresh)
    {
        uint first = page * _nodesPerPage;
        int members = (int)Math.Min(_fill, _index.NodeCount - first);
        for (int i = 0; i < members; i++)
            _ids[fresh + i] = first + (uint)i;
        fresh = Unseen(fresh, members);
        fixed (uint* ids = &_ids[fresh])
            return Unseen(fresh, graph.Read(page, ids));
    }

    // The same where checkpoints have added and freed slots.
    private int Through(GraphChanges changes, uint page, int fresh)
    {
        fresh = Unseen(fresh, changes.Slots.CopyLive(page, _ids.AsSpan(fresh)));
        fixed (uint* ids = &_ids[fresh])
        {
            int links = changes.ToLive(ids, changes.PageGraph.Read(page, ids));
            return Unseen(fresh, links + changes.CopyWaiting(page, ids + links));
        }
    }

    private int ToLive(int count)
    {
        fixed (uint* ids = _ids)
            return _changes is null ? count : _changes.ToLive(ids, count);
    }

    // Keeps the new ones of some ids in the batch and prefetches their codes; returns the batch's size.
    private int Unseen(int first, int count)
    {
        int end = first;
        for (int from = first; from < first + count; from += MarkedTogether)
        {
            int fresh = _seen.AddNew(_ids.AsSpan(from, Math.Min(MarkedTogether, first + count - from)), _ids.AsSpan(end));
            CodeDistanceTable.Prefetch(_index.Codes.Pointer, _codes.CodeBytes, _ids.AsSpan(end, fresh));
            end += fresh;
        }

        return end;
    }

    // Scores the first ids of the batch and offers them to the pool; returns the best rank of one of them.
    private int Offer(int count, bool isFirst = false)
    {
        if (count == 0)
            return _candidates.Count;
        _codes.Distances(_index.Codes.Pointer, _ids.AsSpan(0, count), _distances);
        Computed += count;
        Span<ulong> keys = _keys.AsSpan(0, Near(count));
        for (int i = 0; isFirst && i < keys.Length; i++)
            _seen.Add((uint)keys[i]);
        RankSort.Sort(keys);
        for (int i = 0; i < keys.Length; i++)
        {
            _states[i] = _pages.StateOf((uint)keys[i] / _nodesPerPage) switch
            {
                PageState.Here => CandidateState.Loaded,
                PageState.InFlight => CandidateState.Submitted,
                _ => CanRead((uint)keys[i]) ? CandidateState.Unvisited : CandidateState.Visited,
            };
        }

        return _candidates.Merge(keys, _states.AsSpan(0, keys.Length));
    }

    // Between batches whose order does not matter alone: what a beam finds must not depend on which of its pages landed first.
    private void GrowIfLastPromises()
    {
        if (_candidates.Count == _candidates.ListSize && _candidates.ListSize < _mostCandidates && LastPromises())
            _candidates.Grow(Math.Min(2 * _candidates.ListSize, _mostCandidates));
    }

    private bool LastPromises()
    {
        float kth = MathF.Min(_frontier.Expected(Math.Min(_answerEnd, _candidates.Count) - 1), _frontier.Results.Threshold);
        float last = _frontier.Expected(_candidates.Count - 1);
        return kth - last > _leastDeviations * _frontier.Model.Deviation(last);
    }

    // A checkpoint searches over pages that it has added and not written yet. Under a filter, others than matches steer the walk alone.
    private bool CanRead(uint id) =>
        (_changes is null || _changes.Writers[id / _nodesPerPage] != 0) && (_matches is null || _matches.Contains(id));

    // Makes keys of the first ids of the batch that the pool may take; returns their number.
    private int Near(int count)
    {
        int near = 0;
        fixed (float* distances = _distances)
        fixed (uint* ids = _ids)
        fixed (ulong* keys = _keys)
        {
            // Most are farther: pass over eight at a time. The mask excludes old distances behind the last one.
            Vector256<float> bound = Vector256.Create(_candidates.Threshold);
            for (int i = 0; i < count; i += Vector256<float>.Count)
            {
                uint farther = Vector256.GreaterThan(Vector256.Load(distances + i), bound).ExtractMostSignificantBits();
                for (uint mask = ~farther & Lanes(count - i); mask != 0; mask &= mask - 1)
                {
                    int at = i + BitOperations.TrailingZeroCount(mask);
                    if (_changes is null || _changes.IsLive(ids[at]))
                        keys[near++] = CandidateKey.Of(distances[at], ids[at]);
                }
            }
        }

        return near;
    }

    private static uint Lanes(int left) => left >= Vector256<float>.Count ? 0xFFu : (1u << left) - 1;
}
