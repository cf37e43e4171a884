using System.Diagnostics;
using VectorPipe.Numerics.Distances;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.Pools;
using VectorPipe.Searching.Requests;
using VectorPipe.Searching.State;
using VectorPipe.Storage.Nodes;

namespace VectorPipe.Searching.Graph;

/// <summary>Takes in the pages of a query: exact distances go into the result pool, links lead on. Each layout has its own.</summary>
/// <remarks>Not thread-safe; one a query slot.</remarks>
internal abstract unsafe class PageIntake(SearchIndex index, PageLedger pages, Frontier frontier, CandidateScorer scorer)
{
    // The best candidates of a query, by code, are those that a search must tell apart.
    private const int MostShown = 30;

    /// <summary>Exact distances computed.</summary>
    public int Computed { get; protected set; }

    /// <summary>Nodes whose links were followed.</summary>
    public int Hops { get; private set; }

    /// <summary>The first defect of a page; null if there is none.</summary>
    public IndexCorruptException? Defect { get; protected set; }

    /// <summary>Whether exact distances are left that nothing waits for.</summary>
    public virtual bool Owes => false;

    protected SearchIndex Index { get; } = index;

    protected NodeLayout Layout { get; } = index.Layout;

    protected uint NodesPerPage { get; } = (uint)index.Layout.NodesPerPage;

    protected PageLedger Pages { get; } = pages;

    protected Frontier Frontier { get; } = frontier;

    protected CandidateScorer Scorer { get; } = scorer;

    protected QueryDistance Exact { get; } =
        QueryDistance.Create(index.Schema.Metric, index.Layout.ElementType, index.Layout.Dimension, index.Schema.ElementType);

    protected float[] Distances { get; } = new float[index.Layout.VectorsPerPage];

    protected SearchTrace? Trace { get; private set; }

    /// <summary>What checkpoints changed; null for nothing.</summary>
    protected GraphChanges? Changes { get; private set; }

    /// <summary>Internal ids are below this.</summary>
    protected uint NodeCount { get; private set; }

    public static PageIntake Create(SearchIndex index, PageLedger pages, Frontier frontier, CandidateScorer scorer) =>
        index.Layout.IsMerged ? new MergedIntake(index, pages, frontier, scorer) : new PlainIntake(index, pages, frontier, scorer);

    /// <summary>Begins a query.</summary>
    /// <param name="query">Its stored bytes.</param>
    /// <param name="plan">How it is searched.</param>
    /// <param name="changes">What checkpoints changed; null for nothing.</param>
    /// <param name="needsResults">Whether the choice of pages depends on results.</param>
    public virtual void Begin(ReadOnlySpan<byte> query, GraphPlan plan, GraphChanges? changes, bool needsResults)
    {
        Changes = changes;
        NodeCount = changes?.NodeCount ?? Index.NodeCount;
        Exact.SetQuery(query);
        Trace = plan.Trace;
        Computed = Hops = 0;
        Defect = null;
    }

    /// <summary>Ends a query: nothing of a checkpoint stays in memory for an idle slot.</summary>
    public void End() => Changes = null;

    /// <summary>Makes room for the nodes that a query of a number of expansions meets, nearly always.</summary>
    public abstract void Reserve(int expansions, int pages);

    public abstract void TakeIn();

    /// <summary>Follows the links of a candidate whose page is here.</summary>
    public abstract void Expand(int rank);

    /// <summary>Computes the exact distances that nothing waits for.</summary>
    public virtual void Settle()
    {
    }

    /// <summary>Shows a probe those of the nearest candidates whose pages are here.</summary>
    public void Show(CandidateProbe probe, float squaredNorm)
    {
        CandidatePool candidates = Frontier.Candidates;
        for (int rank = 0; rank < Math.Min(MostShown, candidates.Count); rank++)
        {
            uint id = candidates.Id(rank);
            if (Pages.Get(id / NodesPerPage, out byte* bytes) == PageState.Here)
                probe(candidates.Distance(rank), DistanceOf(bytes, id), squaredNorm);
        }
    }

    /// <summary>Shows a sink all nodes that the search has met.</summary>
    public virtual void Show(INeighbourSink sink, int row) =>
        throw new UnreachableException("Only pages of the merged layout get new nodes.");

    /// <summary>The exact distance of a node whose page is here.</summary>
    protected float DistanceOf(byte* page, uint id)
    {
        float distance = 0;
        byte* vector = new NodePage(page, Layout).FirstVector + (nint)(id % NodesPerPage) * Layout.VectorStride;
        Exact.ComputeStrided(vector, Layout.VectorStride, 1, new Span<float>(ref distance));
        return distance;
    }

    /// <summary>Gives the candidates of all arrived pages a new state, and counts the pages that have none left in the pool.</summary>
    /// <remarks>Comes before any page is taken in: a replica in one of them may stand for a candidate that lies in another.</remarks>
    protected int SetStates(CandidateState state)
    {
        int wasted = 0;
        foreach (ArrivedPage page in Pages.Arrived)
            wasted += Frontier.Candidates.SetPageState(page.Number * NodesPerPage, NodesPerPage, state) == 0 ? 1 : 0;
        return wasted;
    }

    /// <summary>Offers a vector to the result pool.</summary>
    protected void Result(NodePage page, int slot, uint id, float distance)
    {
        if (distance <= Frontier.Results.Threshold && page.State(slot) == NodeState.Live)
            Frontier.Results.Insert(distance, page.Key(slot), id);
    }

    /// <summary>Reads a node's links into the batch, from a position on. False if they are damaged.</summary>
    protected bool TryFollow(NodePage page, uint number, int slot, int at)
    {
        Hops++;
        if (page.TryReadLinks(slot, NodeCount, Scorer.Batch[at..]))
            return true;
        Defect = new IndexCorruptException(
            Index.NodePath, number + 1L,
            $"expected a list of {page.LinkCount(slot)} links below {NodeCount} in slot {slot}, found other bytes or higher links");
        return false;
    }
}
