using System.Runtime.CompilerServices;

namespace VectorPipe.Searching.Pools;

/// <summary>What a query knows when it chooses its reads: candidates by code, results by exact distance, and their relation.</summary>
/// <remarks>Not thread-safe; one a query slot.</remarks>
internal sealed class Frontier(int nodesPerPage)
{
    private IPageWatcher? _first;
    private IPageWatcher? _second;

    public CandidatePool Candidates { get; } = new();

    public ResultPool Results { get; } = new();

    public uint NodesPerPage { get; } = (uint)nodesPerPage;

    public int Taken { get; private set; }

    public int K { get; private set; }

    /// <summary>How exact distances follow from code distances.</summary>
    public DistanceModel Model { get; private set; }

    /// <summary>The distance of the farthest vector that may be a result; infinite for any.</summary>
    public float Bound { get; private set; }

    public void Reset(int k, int listSize, DistanceModel model, bool withIds = false, float bound = float.PositiveInfinity)
    {
        K = k;
        Model = model;
        Bound = bound;
        Candidates.Reset(listSize);
        Results.Reset(k, withIds, bound);
        Taken = 0;
        _first = _second = null;
    }

    /// <summary>Sets the policies that hear of pages taken in; null for none.</summary>
    public void Watch(IPageWatcher? first, IPageWatcher? second) => (_first, _second) = (first, second);

    /// <summary>Notes that pages were taken in together, see <see cref="IPageWatcher"/>.</summary>
    public void NoteTaken(int pages, int wasted)
    {
        Taken += pages;
        _first?.NoteTaken(this, pages, wasted);
        _second?.NoteTaken(this, pages, wasted);
    }

    public uint PageOf(int rank) => Candidates.Id(rank) / NodesPerPage;

    public float Expected(int rank) => Model.Expected(Candidates.Distance(rank));

    /// <summary>Where the answer is expected to end: the k-th distance of results and candidates, or the bound if it is nearer.</summary>
    /// <remarks>Infinite while there are fewer, without a bound.</remarks>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public float KthDistance()
    {
        Results.Sort();
        int result = 0, rank = Candidates.FirstOpen;
        float kth = float.PositiveInfinity;
        for (int i = 0; i < K; i++)
        {
            while (rank < Candidates.Count && Candidates.State(rank) == CandidateState.Visited)
                rank++;
            bool hasCandidate = rank < Candidates.Count;
            if (result < Results.Count && (!hasCandidate || Results.Distance(result) <= Expected(rank)))
                kth = Results.Distance(result++);
            else if (hasCandidate)
                kth = Expected(rank++);
            else
                return Bound;
            if (kth > Bound)
                return Bound;
        }

        return kth;
    }
}
