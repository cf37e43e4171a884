using System.Runtime.CompilerServices;

namespace VectorPipe.Searching.Pools;

/// <summary>
/// What a query knows when it decides what to read next, and whether to: candidates by code, results by exact distance, and how the two
/// relate.
/// </summary>
/// <remarks>Not thread-safe; one a query slot.</remarks>
internal sealed class Frontier
{
    private IPageWatcher? _first;
    private IPageWatcher? _second;

    /// <param name="nodesPerPage">Nodes of a page.</param>
    public Frontier(int nodesPerPage) => NodesPerPage = (uint)nodesPerPage;

    /// <summary>Candidates by code distance.</summary>
    public CandidatePool Candidates { get; } = new();

    /// <summary>Results by exact distance.</summary>
    public ResultPool Results { get; } = new();

    /// <summary>Nodes of a page.</summary>
    public uint NodesPerPage { get; }

    /// <summary>Pages taken in.</summary>
    public int Taken { get; private set; }

    /// <summary>Results wanted.</summary>
    public int K { get; private set; }

    /// <summary>What code distances say about exact ones.</summary>
    public DistanceModel Model { get; private set; }

    /// <summary>Empties the pools.</summary>
    public void Reset(int k, int listSize, DistanceModel model, bool withIds = false)
    {
        K = k;
        Model = model;
        Candidates.Reset(listSize);
        Results.Reset(k, withIds);
        Taken = 0;
        _first = _second = null;
    }

    /// <summary>Names those of a query's policies that follow how its pages fare.</summary>
    public void Watch(IPageWatcher? first, IPageWatcher? second) => (_first, _second) = (first, second);

    /// <summary>Notes that pages were taken in together: their results are in the pool, their candidates are no longer submitted.</summary>
    /// <param name="pages">How many.</param>
    /// <param name="wasted">Of them, those that had no node among the candidates when they arrived.</param>
    public void NoteTaken(int pages, int wasted)
    {
        Taken += pages;
        _first?.NoteTaken(this, pages, wasted);
        _second?.NoteTaken(this, pages, wasted);
    }

    /// <summary>The page of a candidate.</summary>
    public uint PageOf(int rank) => Candidates.Id(rank) / NodesPerPage;

    /// <summary>The exact distance that is expected of a candidate.</summary>
    public float Expected(int rank) => Model.Expected(Candidates.Distance(rank));

    /// <summary>
    /// The k-th smallest distance, results and what is expected of the candidates without an exact distance taken together: where the
    /// answer will end. Infinite while there are fewer.
    /// </summary>
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
                return float.PositiveInfinity;
        }

        return kth;
    }
}
