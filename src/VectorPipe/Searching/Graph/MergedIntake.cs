using System.Diagnostics;
using System.Runtime.InteropServices;
using VectorPipe.Model.Search;
using VectorPipe.Numerics.Sorting;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.Pools;
using VectorPipe.Searching.Requests;
using VectorPipe.Searching.State;
using VectorPipe.Storage.Nodes;

namespace VectorPipe.Searching.Graph;

/// <summary>Takes in merged pages: scores their nodes and replicas, and follows the links of near nodes at once.</summary>
/// <remarks>Exact distances cannot wait here: they decide which links are followed.</remarks>
internal sealed unsafe class MergedIntake(
    SearchIndex index, PageLedger pages, Frontier frontier, CandidateScorer scorer) : PageIntake(index, pages, frontier, scorer)
{
    // A vector lies in its node's page and, as a replica, in others: compute its distance once.
    private readonly IdTable<float> _known = new();
    private readonly List<(uint Id, float Value)> _met = [];
    private readonly List<ulong> _ranked = [];
    private float _followFactor;

    public override void Begin(ReadOnlySpan<byte> query, GraphPlan plan, GraphChanges? changes, bool needsResults)
    {
        base.Begin(query, plan, changes, needsResults);
        _followFactor = plan.FollowFactor;
        _known.Clear();
    }

    public override void Reserve(int expansions, int pages)
    {
        Scorer.Reserve((int)Math.Min((long)expansions * (NodeLayout.MaxLinks / 2), Index.NodeCount));
        _known.Reserve(pages * Layout.VectorsPerPage);
    }

    public override void TakeIn()
    {
        int wasted = SetStates(CandidateState.Visited);
        foreach (ArrivedPage page in Pages.Arrived)
            Score(page);
        Frontier.NoteTaken(Pages.Arrived.Length, wasted);
        FollowArrived();
        Scorer.Walk();
    }

    public override void Expand(int rank) =>
        throw new UnreachableException("All candidates of a merged page are visited when it is taken in.");

    public override void Show(INeighbourSink sink, int row)
    {
        _met.Clear();
        _known.AddTo(_met);
        CandidatePool candidates = Frontier.Candidates;
        for (int rank = 0; rank < candidates.Count; rank++)
        {
            if (!_known.TryGet(candidates.Id(rank), out _))
                _met.Add((candidates.Id(rank), Frontier.Expected(rank)));
        }

        _ranked.Clear();
        foreach ((uint id, float value) in CollectionsMarshal.AsSpan(_met))
        {
            if (Changes is not { } changes || changes.IsLive(id))
                _ranked.Add(CandidateKey.Of(value, id));
        }

        RankSort.Sort(CollectionsMarshal.AsSpan(_ranked));
        sink.Take(row, CollectionsMarshal.AsSpan(_ranked));
    }

    private void Score(ArrivedPage arrived)
    {
        long from = Trace is null ? 0 : Stopwatch.GetTimestamp();
        var page = new NodePage(arrived.Bytes, Layout);
        if (page.FindMisplaced(arrived.Number, NodeCount, hasHoles: Changes is not null) is { } defect)
        {
            Defect ??= new IndexCorruptException(Index.NodePath, arrived.Number + 1L, defect);
            return;
        }

        uint firstId = arrived.Number * NodesPerPage;
        int fresh = ScoreRun(page, 0, page.Count, firstId) + ScoreRun(page, (int)NodesPerPage, page.ReplicaCount, null);

        // No link makes a candidate of a page that is here, not even one to a free slot.
        for (int slot = page.Count; slot < NodesPerPage; slot++)
            Scorer.Mark(firstId + (uint)slot);
        Trace?.Add(SearchTraceKind.TakeIn, from, Stopwatch.GetTimestamp(), arrived.Number, count: fresh);
    }

    // Passes over vectors that came with other pages, and computes the runs between them.
    private int ScoreRun(NodePage page, int firstSlot, int count, uint? firstId)
    {
        int taken = 0;
        for (int i = 0; i < count;)
        {
            int run = i;
            while (run < count && IsNew(page, firstSlot, run, firstId))
                run++;
            if (run > i)
            {
                Span<float> distances = Distances.AsSpan(0, run - i);
                byte* first = page.FirstVector + (nint)(firstSlot + i) * Layout.VectorStride;
                Exact.ComputeStrided(first, Layout.VectorStride, run - i, distances);
                for (int j = i; j < run; j++)
                {
                    uint id = IdOf(page, j, firstId);
                    _known.Set(id, distances[j - i]);
                    Result(page, firstSlot + j, id, distances[j - i]);

                    // It is no candidate any more. A replica can be one only if it was met before.
                    if (!Scorer.Mark(id) && firstId is null)
                        Frontier.Candidates.SetPageState(id, 1, CandidateState.Visited);
                }

                taken += run - i;
            }

            i = run + 1;
        }

        Computed += taken;
        return taken;
    }

    // Pages that a checkpoint wrote have free slots anywhere, and pages of before have replicas of nodes that died since.
    private bool IsNew(NodePage page, int firstSlot, int index, uint? firstId)
    {
        uint id = IdOf(page, index, firstId);
        if (_known.TryGet(id, out _))
            return false;
        if (Changes is null)
            return true;
        int slot = firstSlot + index;
        return firstId is not null
            ? page.State(slot) == NodeState.Live && Changes.IsLive(id)
            : Changes.Slots.IsCurrent(id, page.Version(slot));
    }

    private static uint IdOf(NodePage page, int index, uint? firstId) => firstId is { } first ? first + (uint)index : page.ReplicaId(index);

    // Follows the links of near nodes, of all pages that were just taken in.
    private void FollowArrived()
    {
        if (!Scorer.FollowsLinks)
            return;
        float kth = Frontier.KthDistance();
        float factor = Scorer.FollowsFarLinks ? float.PositiveInfinity : _followFactor;
        int links = 0;
        ReadOnlySpan<ArrivedPage> arrived = Pages.Arrived;
        for (int i = 0; i < arrived.Length && Defect is null; i++)
        {
            uint number = arrived[i].Number;
            links = Scorer.AddWaiting(number, links);
            var page = new NodePage(arrived[i].Bytes, Layout);
            for (int slot = 0; slot < page.Count && Defect is null; slot++)
            {
                uint id = number * NodesPerPage + (uint)slot;
                if (!_known.TryGet(id, out float distance) || !Frontier.Model.IsWithin(distance, factor, kth))
                    continue;
                int count = page.LinkCount(slot);
                if (links + count > Scorer.Batch.Length)
                {
                    Scorer.Score(links);
                    links = 0;
                }

                long from = Trace is null ? 0 : Stopwatch.GetTimestamp();
                if (!TryFollow(page, number, slot, links))
                    break;
                Scorer.Prefetch(links, count);
                links += count;
                Trace?.Add(SearchTraceKind.Expand, from, Stopwatch.GetTimestamp(), number, id, distance, count);
            }
        }

        Scorer.Score(links);
    }
}
