using BenchmarkDotNet.Attributes;
using VectorPipe.Numerics.Sorting;

namespace VectorPipe.Micro;

/// <summary>Selecting a bound below which 64 to 80 of 192 distances lie; times are per selection.</summary>
public unsafe class SelectionBenchmarks
{
    private const int Count = 192;

    private readonly float[] _distances = GC.AllocateArray<float>(Count, pinned: true);
    private readonly float[] _sorted = new float[Count];

    [GlobalSetup]
    public void Fill()
    {
        var random = new Random(1);
        for (int i = 0; i < Count; i++)
            _distances[i] = 1e4f + 1e5f * random.NextSingle();
    }

    [Benchmark(Baseline = true)]
    public float Sorted()
    {
        _distances.CopyTo(_sorted, 0);
        Array.Sort(_sorted);
        return _sorted[63];
    }

    [Benchmark]
    public float Bisected()
    {
        fixed (float* distances = _distances)
            return ThresholdSelection.Bound(distances, Count, 64, 80);
    }

    [Benchmark]
    public int Least()
    {
        fixed (float* distances = _distances)
            return Minimum.IndexOf(distances, Count);
    }
}
