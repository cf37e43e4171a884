using System.Runtime.CompilerServices;

namespace VectorPipe.Searching;

/// <summary>What a query knows when it decides what to read next, and whether to: candidates by code, results by exact distance, and how the two relate.</summary>
/// <remarks>Not thread-safe; one a query slot.</remarks>
internal sealed class Frontier
{
    // The gate of PipeANN's adaptive width and relaxed monotonicity.
    private const int ConvergedAt = 5;

    private int _insertions;

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

    /// <summary>Of them, those of whose candidates none was left in the pool.</summary>
    public int Wasted { get; private set; }

    /// <summary>Pages taken in since the last ones that brought a result; those that are taken in together count together.</summary>
    public int Fruitless { get; private set; }

    /// <summary>The most candidates from the nearest on whose pages had all been asked for when pages were taken in.</summary>
    public int Position { get; private set; }

    /// <summary>Whether the walk has come to the neighbourhood of the query: the nearest candidates have all been asked for.</summary>
    public bool HasConverged => Position >= ConvergedAt;

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
        Taken = Wasted = Fruitless = Position = _insertions = 0;
    }

    /// <summary>Notes that pages were taken in together: their results are in the pool, their candidates are no longer submitted.</summary>
    /// <param name="pages">How many.</param>
    /// <param name="wasted">Of them, those that had no node among the candidates when they arrived.</param>
    /// <remarks>Pages of a beam are here all at once: which of them brought a result must not follow from their order.</remarks>
    public void NoteTaken(int pages, int wasted)
    {
        Taken += pages;
        Wasted += wasted;
        Fruitless = Results.Insertions == _insertions ? Fruitless + pages : 0;
        _insertions = Results.Insertions;
        int unvisited = Candidates.Unvisited == 0 ? -1 : Candidates.First(CandidateState.Unvisited);
        Position = Math.Max(Position, unvisited < 0 ? Candidates.Count : unvisited);
    }

    /// <summary>The page of a candidate.</summary>
    public uint PageOf(int rank) => Candidates.Id(rank) / NodesPerPage;

    /// <summary>The exact distance that is expected of a candidate.</summary>
    public float Expected(int rank) => Model.Expected(Candidates.Distance(rank));

    /// <summary>The k-th smallest distance, results and what is expected of the candidates without an exact distance taken together: where the answer will end. Infinite while there are fewer.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public float KthDistance()
    {
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
