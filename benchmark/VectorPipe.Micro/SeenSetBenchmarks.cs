using BenchmarkDotNet.Attributes;
using VectorPipe.Searching.Pools;

namespace VectorPipe.Micro;

/// <summary>4,096 links of each of 64 queries in turn, about half of them new; times are per link. Baseline: HashSet.</summary>
[MemoryDiagnoser]
public class SeenSetBenchmarks
{
    private const int Links = 4096, Batch = 64, Queries = 64;

    private readonly uint[] _links = new uint[Queries * Links];
    private readonly uint[] _fresh = new uint[Batch];
    private readonly SeenSet _seen = new();
    private readonly HashSet<uint> _set = [];
    private int _query;

    [GlobalSetup]
    public void Fill()
    {
        var random = new Random(1);
        for (int query = 0; query < Queries; query++)
        {
            Span<uint> links = _links.AsSpan(query * Links, Links), nodes = links[..(Links / 2)];
            foreach (ref uint node in nodes)
                node = (uint)random.Next(100_000_000);
            nodes.CopyTo(links[(Links / 2)..]);
            random.Shuffle(links);
        }
    }

    [BenchmarkCategory("Add"), Benchmark(Baseline = true, OperationsPerInvoke = Links)]
    public int Add_FrameworkSet()
    {
        _set.Clear();
        int added = 0;
        foreach (uint link in Next())
            added += _set.Add(link) ? 1 : 0;
        return added;
    }

    [BenchmarkCategory("Add"), Benchmark(OperationsPerInvoke = Links)]
    public int AddNew()
    {
        _seen.Clear();
        int added = 0;
        Span<uint> links = Next();
        for (int from = 0; from < Links; from += Batch)
            added += _seen.AddNew(links.Slice(from, Batch), _fresh);
        return added;
    }

    private Span<uint> Next()
    {
        _query = (_query + 1) % Queries;
        return _links.AsSpan(_query * Links, Links);
    }
}
