using BenchmarkDotNet.Attributes;
using VectorPipe.Searching.Graph;

namespace VectorPipe.Micro;

/// <summary>The ledger of 64 pages of a query, 16 look-ups of each; times are per look-up. Baseline: Dictionary.</summary>
[MemoryDiagnoser]
public unsafe class PageTableBenchmarks : IDisposable
{
    private const int Pages = 64, LookUps = Pages * 16;

    private readonly uint[] _pages = new uint[Pages];
    private readonly uint[] _lookUps = new uint[LookUps];
    private readonly PageLedger _table = new(4096, Pages);
    private readonly Dictionary<uint, nint> _dictionary = [];

    [GlobalSetup]
    public void Fill()
    {
        var random = new Random(1);
        foreach (ref uint page in _pages.AsSpan())
            page = (uint)random.Next(10_000_000);
        // Most candidates lie in pages that the query has not requested.
        for (int i = 0; i < LookUps; i++)
            _lookUps[i] = i % 4 == 0 ? _pages[random.Next(Pages)] : (uint)random.Next(10_000_000);
    }

    [GlobalCleanup]
    public void Dispose()
    {
        _table.Dispose();
        GC.SuppressFinalize(this);
    }

    [BenchmarkCategory("Query"), Benchmark(Baseline = true, OperationsPerInvoke = LookUps)]
    public int FrameworkDictionary()
    {
        _dictionary.Clear();
        foreach (uint page in _pages)
            _dictionary[page] = 0;
        foreach (uint page in _pages)
            _dictionary[page] = 4096;
        int found = 0;
        foreach (uint page in _lookUps)
            found += _dictionary.TryGetValue(page, out _) ? 1 : 0;
        return found;
    }

    [BenchmarkCategory("Query"), Benchmark(OperationsPerInvoke = LookUps)]
    public int PageTable()
    {
        _table.Begin(hasBarrier: false);
        foreach (uint page in _pages)
            _table.NoteAsked(page);
        foreach (uint page in _pages)
            _table.Land(page, (byte*)4096);
        int found = 0;
        foreach (uint page in _lookUps)
            found += _table.Get(page, out _) == PageState.Here ? 1 : 0;
        return found;
    }
}
