using BenchmarkDotNet.Attributes;
using VectorPipe.Searching.Pools;

namespace VectorPipe.Micro;

/// <summary>512 falling distances, as in a walk, offered to the result pool; times are per distance. Baseline: a bounded heap.</summary>
[MemoryDiagnoser]
public class ResultPoolBenchmarks
{
    private const int Vectors = 512;

    private readonly float[] _distances = new float[Vectors];
    private readonly ResultPool _pool = new();
    private readonly PriorityQueue<ulong, float> _heap = new();

    [Params(10, 100)]
    public int K { get; set; }

    [GlobalSetup]
    public void Fill()
    {
        var random = new Random(1);
        for (int i = 0; i < Vectors; i++)
            _distances[i] = random.NextSingle() + (float)(Vectors - i) / Vectors;
    }

    [BenchmarkCategory("Insert"), Benchmark(Baseline = true, OperationsPerInvoke = Vectors)]
    public int Insert_FrameworkHeap()
    {
        _heap.Clear();
        for (int i = 0; i < Vectors; i++)
        {
            if (_heap.Count < K)
                _heap.Enqueue((ulong)i, -_distances[i]);
            else
                _heap.EnqueueDequeue((ulong)i, -_distances[i]);
        }

        return _heap.Count;
    }

    [BenchmarkCategory("Insert"), Benchmark(OperationsPerInvoke = Vectors)]
    public int Insert()
    {
        _pool.Reset(K);
        for (int i = 0; i < Vectors; i++)
        {
            if (_distances[i] <= _pool.Threshold)
                _pool.Insert(_distances[i], (ulong)i);
        }

        return _pool.Count;
    }
}
