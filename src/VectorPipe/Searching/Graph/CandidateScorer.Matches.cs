using System.Diagnostics;
using System.Numerics;
using VectorPipe.Numerics.Sorting;
using VectorPipe.Quantization;
using VectorPipe.Searching.Filtering;
using VectorPipe.Searching.Pools;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Searching.Graph;

/// <content>Finds the first candidates of a search with a filter: those that may be read are matches only.</content>
/// <remarks>
/// All is decided before the first read, from the exact number of matches. See docs/decisions.md#filter-plans.
/// </remarks>
internal sealed unsafe partial class CandidateScorer
{
    /// <summary>The share of matches from which a walk finds near ones with less work than the cells.</summary>
    public const float WalkShare = 0.7f;

    // Best candidates of a walk that show whether the matches lie where the query is.
    private const int Shown = 64;

    // Cells with a match that are looked at in any case.
    private const int LeastCells = 4;

    // Ids that are scored together: a block of codes, and little more than the last cell needs.
    private const int MatchesTogether = 32;

    private MatchSet? _matches;
    private ulong[] _cellKeys = [];
    private float[] _cellDistances = [];

    /// <summary>How the search finds near matches; nothing without a filter.</summary>
    public FilterStrategy Strategy { get; private set; }

    /// <summary>Whether links lead to candidates that are not known yet.</summary>
    public bool FollowsLinks => Strategy != FilterStrategy.Codes;

    /// <summary>Whether links of far nodes are followed, too.</summary>
    /// <remarks>Without a walk, pages that were read anyway show near matches of other cells.</remarks>
    public bool FollowsFarLinks => Strategy == FilterStrategy.Cells;

    /// <summary>Finds the first candidates among the matches.</summary>
    /// <param name="matches">The matches, at least one.</param>
    /// <param name="plan">How the query is searched.</param>
    public void EnterMatches(MatchSet matches, GraphPlan plan)
    {
        _matches = matches.IsAll ? null : matches;
        int wanted = (int)Math.Min(plan.K, matches.Count);
        if (matches.IsAll || MayWalk(matches))
        {
            Strategy = FilterStrategy.Walk;
            Enter(plan.Tuning?.Entries, int.MaxValue);
            if (matches.IsAll || FindsMatches(matches, wanted))
                return;

            // Nothing was read: begin again. Pages that were walked are read like others.
            _candidates.Reset(_candidates.ListSize);
            _seen.Clear();
        }

        if (matches.IsListed || _index.Cells is not { } cells)
        {
            Strategy = FilterStrategy.Codes;
            ScoreAll(matches);
        }
        else
        {
            Strategy = FilterStrategy.Cells;
            ScoreCells(matches.In(cells), matches, wanted, plan.CellFactor);
        }
    }

    /// <summary>The length of the pool with which a walk keeps a number of matches.</summary>
    public int PoolFor(MatchSet matches, int poolSize) =>
        MayWalk(matches) ? (int)(poolSize * Math.Max(1, Nodes / matches.Count)) : poolSize;

    private float Nodes => _changes?.Live ?? _index.Schema.Count;

    // Without a page graph, a walk would read pages of others to find its way.
    private bool MayWalk(MatchSet matches) => !matches.IsListed && _index.PageGraph is not null && matches.Count >= WalkShare * Nodes;

    private bool FindsMatches(MatchSet matches, int wanted)
    {
        int shown = Math.Min(Shown, _candidates.Count), found = 0;
        for (int rank = 0; rank < shown; rank++)
            found += matches.Contains(_candidates.Id(rank)) ? 1 : 0;
        return _candidates.Unvisited >= wanted && 2 * found >= shown * (matches.Count / Nodes);
    }

    private void ScoreAll(MatchSet matches)
    {
        ulong next = 0;
        int count;
        do
        {
            count = matches.Copy(_ids, ref next);
            OfferMatches(count);
        }
        while (count == _ids.Length);
    }

    private void ScoreCells(CellMatches cells, MatchSet matches, int wanted, float factor)
    {
        uint end = cells.Cells.EndId;
        int waiting = AddMatches(matches, end, Math.Max(end, _changes?.NodeCount ?? 0), 0);
        Span<ulong> nearest = Rank(cells);
        for (int met = 0; !nearest.IsEmpty; met++)
        {
            ulong key = MinHeap.Top(nearest);
            if (waiting >= MatchesTogether || IsBeyond(key, met))
            {
                OfferMatches(waiting);
                waiting = 0;
                if (IsBeyond(key, met))
                    break;
            }

            nearest = MinHeap.Pop(nearest);
            waiting = AddMatches(cells, (int)(uint)key, waiting);
        }

        OfferMatches(waiting);

        bool IsBeyond(ulong key, int met) =>
            met >= LeastCells && _candidates.Count >= wanted
            && !_frontier.Model.IsWithin(CandidateKey.Distance(key), factor, _candidates.Distance(wanted - 1));
    }

    // The cells that have a match, as a heap by their distances: most searches look at a few of them.
    private Span<ulong> Rank(CellMatches cells)
    {
        uint[] numbers = cells.Numbers;
        if (_cellKeys.Length < numbers.Length)
        {
            _cellKeys = new ulong[cells.Cells.Count];
            _cellDistances = new float[cells.Cells.Count];
        }

        fixed (byte* centres = cells.Cells.Centres)
            _codes.Distances(centres, numbers, _cellDistances);
        Computed += numbers.Length;
        Span<ulong> keys = _cellKeys.AsSpan(0, numbers.Length);
        for (int i = 0; i < keys.Length; i++)
            keys[i] = CandidateKey.Of(_cellDistances[i], numbers[i]);
        MinHeap.Make(keys);
        return keys;
    }

    // Adds the matches of a cell to the batch, which is scored when it is full; returns its size.
    private int AddMatches(CellMatches cells, int cell, int waiting)
    {
        ReadOnlySpan<uint> units = cells.Cells.UnitsOf(cell);
        ReadOnlySpan<ulong> words = cells.WordsOf(cell);
        for (int i = 0; i < words.Length; i++)
        {
            ulong mask = words[i];
            waiting = MakeRoom(mask, waiting);
            for (; mask != 0; mask &= mask - 1)
                _ids[waiting++] = cells.Cells.IdOf(units, (i * 64) + BitOperations.TrailingZeroCount(mask));
        }

        return waiting;
    }

    // Adds the matches among consecutive ids to the batch, which is scored when it is full; returns its size.
    private int AddMatches(MatchSet matches, uint first, uint end, int waiting)
    {
        for (ulong id = first; id < end; id += MatchSet.BitsTogether)
        {
            ulong mask = matches.Bits((uint)id, (int)Math.Min(MatchSet.BitsTogether, end - id));
            waiting = MakeRoom(mask, waiting);
            for (; mask != 0; mask &= mask - 1)
                _ids[waiting++] = (uint)id + (uint)BitOperations.TrailingZeroCount(mask);
        }

        return waiting;
    }

    // Scores the batch if it has no room for all bits of a mask; returns its size.
    private int MakeRoom(ulong mask, int waiting)
    {
        if (waiting + BitOperations.PopCount(mask) <= _ids.Length)
            return waiting;
        OfferMatches(waiting);
        return 0;
    }

    // Scores matches, of which each comes once. Only those that the pool may take are marked: what links lead to again is as far as it
    // was, and the marks of all took a fifth of the processor time.
    private void OfferMatches(int count)
    {
        CodeDistanceTable.Prefetch(_index.Codes.Pointer, _codes.CodeBytes, _ids.AsSpan(0, count));
        Offer(count, isFirst: true);
    }

    // Keeps the matches among the first ids of the batch, and returns their number.
    private int Matching(int count)
    {
        Debug.Assert(_matches is not null, "the search has a filter");
        int kept = 0;
        for (int i = 0; i < count; i++)
        {
            uint id = _ids[i];
            _ids[kept] = id;
            kept += _matches.Contains(id) ? 1 : 0;
        }

        return kept;
    }
}
