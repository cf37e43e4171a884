using BenchmarkDotNet.Attributes;
using VectorPipe.Numerics.Sorting;

namespace VectorPipe.Micro;

/// <summary>Sorting keys of candidates, in many batches against branch prediction; times are per batch.</summary>
public class RankSortBenchmarks
{
    private const int Batches = 4096;

    private ulong[] _keys = [];
    private ulong[] _batch = [];
    private int _next;

    /// <summary>Keys of a batch.</summary>
    [Params(8, 16, 32, 64, 128, 192, 256, 384, 512, 1024)]
    public int Keys { get; set; }

    [GlobalSetup]
    public void Fill()
    {
        var random = new Random(1);
        _keys = [.. Enumerable.Range(0, Batches * Keys).Select(_ => (ulong)random.NextInt64())];
        _batch = new ulong[Keys];
    }

    [Benchmark(Baseline = true)]
    public ulong FrameworkSort()
    {
        Next().Sort();
        return _batch[0];
    }

    [Benchmark]
    public ulong Sort()
    {
        RankSort.Sort(Next());
        return _batch[0];
    }

    private Span<ulong> Next()
    {
        _next = (_next + 1) % Batches;
        _keys.AsSpan(_next * Keys, Keys).CopyTo(_batch);
        return _batch;
    }
}
