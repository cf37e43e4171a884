using BenchmarkDotNet.Attributes;
using VectorPipe.Numerics.Sorting;
using VectorPipe.Searching.Pools;

namespace VectorPipe.Micro;

/// <summary>The candidate pool: merging links, choosing a page, and settling a page.</summary>
/// <remarks>Falling distances imitate a walk: of 512 candidates about half enter the pool, and most leave it again.</remarks>
[MemoryDiagnoser]
public class CandidatePoolBenchmarks
{
    private const int Candidates = 512, Batch = 32, Ranks = 16;
    private const uint NodesPerPage = 10;

    private readonly float[] _distances = new float[Candidates];
    private readonly ulong[] _keys = new ulong[Batch];
    private readonly CandidateState[] _states = new CandidateState[Batch];
    private readonly CandidatePool _pool = new();
    private readonly CandidatePool _walked = new();
    private readonly PriorityQueue<uint, float> _heap = new();
    private uint _page;

    [Params(20, 100)]
    public int ListSize { get; set; }

    [GlobalSetup]
    public void Fill()
    {
        var random = new Random(1);
        for (int i = 0; i < Candidates; i++)
            _distances[i] = random.NextSingle() + (float)(Candidates - i) / Candidates;
        Merge(_walked);
        // Half of the pool is visited: the nearest candidates.
        for (int rank = 0; rank < ListSize / 2; rank++)
            _walked.SetState(rank, CandidateState.Visited);
    }

    [BenchmarkCategory("Insert"), Benchmark(Baseline = true, OperationsPerInvoke = Candidates)]
    public int Insert_FrameworkHeap()
    {
        _heap.Clear();
        for (int i = 0; i < Candidates; i++)
        {
            // The largest distance comes first, so that later ones can push it out.
            if (_heap.Count < ListSize)
                _heap.Enqueue((uint)i, -_distances[i]);
            else
                _heap.EnqueueDequeue((uint)i, -_distances[i]);
        }

        return _heap.Count;
    }

    [BenchmarkCategory("Insert"), Benchmark(OperationsPerInvoke = Candidates)]
    public int Merge() => Merge(_pool);

    [BenchmarkCategory("FirstUnvisited"), Benchmark(Baseline = true)]
    public int FirstUnvisited_Scan()
    {
        for (int rank = 0; rank < _walked.Count; rank++)
        {
            if (_walked.State(rank) == CandidateState.Unvisited)
                return rank;
        }

        return -1;
    }

    [BenchmarkCategory("FirstUnvisited"), Benchmark]
    public int FirstUnvisited() => _walked.First(CandidateState.Unvisited);

    [BenchmarkCategory("PageState"), Benchmark(Baseline = true)]
    public void SetState_ByRank()
    {
        int rank = _walked.Count - 1 - (int)(_page++ % Ranks % (uint)(ListSize / 2));
        _walked.SetState(rank, CandidateState.Unvisited);
    }

    [BenchmarkCategory("PageState"), Benchmark]
    public void SetPageState()
    {
        _page = (_page + 7) % (Candidates / NodesPerPage);
        _walked.SetPageState(_page * NodesPerPage, NodesPerPage, CandidateState.Unvisited);
    }

    // As in a walk: sort and merge the candidates of a batch that are near enough.
    private int Merge(CandidatePool pool)
    {
        pool.Reset(ListSize);
        for (int from = 0; from < Candidates; from += Batch)
        {
            int near = 0;
            for (int i = from; i < from + Batch; i++)
            {
                if (_distances[i] <= pool.Threshold)
                    _keys[near++] = CandidateKey.Of(_distances[i], (uint)i);
            }

            RankSort.Sort(_keys.AsSpan(0, near));
            pool.Merge(_keys.AsSpan(0, near), _states.AsSpan(0, near));
        }

        return pool.Count;
    }
}
