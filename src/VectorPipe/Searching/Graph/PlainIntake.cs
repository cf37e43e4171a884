using System.Diagnostics;
using VectorPipe.Model.Search;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.Pools;
using VectorPipe.Searching.Requests;
using VectorPipe.Searching.State;
using VectorPipe.Storage.Nodes;

namespace VectorPipe.Searching.Graph;

/// <summary>Takes in plain pages: scores all vectors, and follows the links of a page's candidates in their turn.</summary>
/// <remarks>If the choice of pages does not depend on results, exact distances are computed while the next reads are in flight.</remarks>
internal sealed unsafe class PlainIntake(
    SearchIndex index, PageLedger pages, Frontier frontier, CandidateScorer scorer) : PageIntake(index, pages, frontier, scorer)
{
    private readonly ArrivedPage[] _owed = new ArrivedPage[GraphSearch.MaxBeamWidth];
    private int _owedCount;
    private bool _isLate;

    public override bool Owes => _owedCount > 0;

    public override void Begin(ReadOnlySpan<byte> query, GraphPlan plan, GraphChanges? changes, bool needsResults)
    {
        base.Begin(query, plan, changes, needsResults);
        _owedCount = 0;
        _isLate = plan.Tuning?.ResultsLate ?? !needsResults;
    }

    public override void Reserve(int expansions, int pages) =>
        Scorer.Reserve((int)Math.Min((long)expansions * Layout.MaxListLength, Index.NodeCount));

    public override void TakeIn()
    {
        int wasted = SetStates(Scorer.FollowsLinks ? CandidateState.Loaded : CandidateState.Visited);
        foreach (ArrivedPage page in Pages.Arrived)
        {
            if (!_isLate)
            {
                Score(page);
                continue;
            }

            // Cached pages come without a read between them, so settle here when there is no room.
            if (_owedCount == _owed.Length)
                Settle();
            _owed[_owedCount++] = page;
        }

        Frontier.NoteTaken(Pages.Arrived.Length, wasted);
    }

    public override void Settle()
    {
        for (int i = 0; i < _owedCount; i++)
            Score(_owed[i]);
        _owedCount = 0;
    }

    public override void Expand(int rank)
    {
        long from = Trace is null ? 0 : Stopwatch.GetTimestamp();
        uint id = Frontier.Candidates.Id(rank);
        Frontier.Candidates.SetState(rank, CandidateState.Visited);
        uint number = id / NodesPerPage;
        Pages.Get(number, out byte* bytes);
        var page = new NodePage(bytes, Layout);
        int slot = (int)(id - number * NodesPerPage);
        Debug.Assert(slot < page.Count, "links lead to nodes of the index, and its pages are full");
        if (!TryFollow(page, number, slot, 0))
            return;
        int count = page.LinkCount(slot);
        Scorer.Score(count);
        Trace?.Add(SearchTraceKind.Expand, from, Stopwatch.GetTimestamp(), number, id, DistanceOf(bytes, id), count);
    }

    private void Score(ArrivedPage arrived)
    {
        long from = Trace is null ? 0 : Stopwatch.GetTimestamp();
        var page = new NodePage(arrived.Bytes, Layout);
        int count = page.Count;
        Span<float> distances = Distances.AsSpan(0, count);
        Exact.ComputeStrided(page.FirstVector, Layout.VectorStride, count, distances);
        Computed += count;
        for (int slot = 0; slot < count; slot++)
            Result(page, slot, arrived.Number * NodesPerPage + (uint)slot, distances[slot]);
        Trace?.Add(SearchTraceKind.TakeIn, from, Stopwatch.GetTimestamp(), arrived.Number, count: count);
    }
}
