using System.Diagnostics;
using System.Numerics;
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
            Enter(plan.Tuning?.Entries);
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
            ScoreCells(cells, matches, wanted, plan.CellFactor);
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
            Offer(Unseen(0, count));
        }
        while (count == _ids.Length);
    }

    private void ScoreCells(CodeCells cells, MatchSet matches, int wanted, float factor)
    {
        Span<ulong> nearest = Rank(cells);
        int met = 0;
        int waiting = AddMatches(matches, cells.EndId, Math.Max(cells.EndId, _changes?.NodeCount ?? 0), 0);
        foreach (ulong key in nearest)
        {
            if (waiting >= MatchesTogether || IsBeyond(key))
            {
                Offer(Unseen(0, waiting));
                waiting = 0;
                if (IsBeyond(key))
                    break;
            }

            int before = waiting;
            bool isScored = false;
            foreach (uint unit in cells.UnitsOf((int)(uint)key))
            {
                uint first = unit * (uint)cells.UnitNodes;
                int after = AddMatches(matches, first, first + (uint)cells.UnitNodes, waiting);
                isScored |= after < waiting;
                waiting = after;
            }

            met += isScored || waiting > before ? 1 : 0;
        }

        Offer(Unseen(0, waiting));

        bool IsBeyond(ulong key) =>
            met >= LeastCells && _candidates.Count >= wanted
            && !_frontier.Model.IsWithin(CandidateKey.Distance(key), factor, _candidates.Distance(wanted - 1));
    }

    // The cells with their distances, nearest first.
    private Span<ulong> Rank(CodeCells cells)
    {
        if (_cellKeys.Length < cells.Count)
        {
            _cellKeys = new ulong[cells.Count];
            _cellDistances = new float[cells.Count];
        }

        fixed (byte* centres = cells.Centres)
            _codes.Distances(centres, cells.Numbers, _cellDistances);
        Computed += cells.Count;
        Span<ulong> keys = _cellKeys.AsSpan(0, cells.Count);
        for (int cell = 0; cell < keys.Length; cell++)
            keys[cell] = CandidateKey.Of(_cellDistances[cell], (uint)cell);
        keys.Sort();
        return keys;
    }

    // Adds the matches among consecutive ids to the batch, which is scored when it is full; returns its size.
    private int AddMatches(MatchSet matches, uint first, uint end, int waiting)
    {
        for (ulong id = first; id < end; id += MatchSet.BitsTogether)
        {
            ulong mask = matches.Bits((uint)id, (int)Math.Min(MatchSet.BitsTogether, end - id));
            if (waiting + BitOperations.PopCount(mask) > _ids.Length)
            {
                Offer(Unseen(0, waiting));
                waiting = 0;
            }

            for (; mask != 0; mask &= mask - 1)
                _ids[waiting++] = (uint)id + (uint)BitOperations.TrailingZeroCount(mask);
        }

        return waiting;
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
