using BenchmarkDotNet.Attributes;
using VectorPipe.Searching;

namespace VectorPipe.Micro;

/// <summary>4,096 links of one query, about half of them new, after a clear; times are per link. The framework's set as baseline.</summary>
[MemoryDiagnoser]
public class SeenSetBenchmarks
{
    private const int Links = 4096;

    private readonly uint[] _links = new uint[Links];
    private readonly SeenSet _seen = new();
    private readonly HashSet<uint> _set = [];

    [GlobalSetup]
    public void Fill()
    {
        var random = new Random(1);
        var nodes = new uint[Links / 2];
        foreach (ref uint node in nodes.AsSpan())
            node = (uint)random.Next(100_000_000);
        for (int i = 0; i < Links; i++)
            _links[i] = nodes[i % nodes.Length];
        random.Shuffle(_links);
    }

    [BenchmarkCategory("Add"), Benchmark(Baseline = true, OperationsPerInvoke = Links)]
    public int Add_FrameworkSet()
    {
        _set.Clear();
        int added = 0;
        foreach (uint link in _links)
            added += _set.Add(link) ? 1 : 0;
        return added;
    }

    [BenchmarkCategory("Add"), Benchmark(OperationsPerInvoke = Links)]
    public int Add()
    {
        _seen.Clear();
        int added = 0;
        foreach (uint link in _links)
            added += _seen.Add(link) ? 1 : 0;
        return added;
    }
}
