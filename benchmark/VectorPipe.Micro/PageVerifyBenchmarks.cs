using BenchmarkDotNet.Attributes;
using VectorPipe.Devices.Native;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Micro;

/// <summary>Verification of a page: of one hot page, and of the pages of 1 MiB in turn. Baseline: copying the page.</summary>
[MemoryDiagnoser]
public unsafe class PageVerifyBenchmarks : IDisposable
{
    private const int PageSize = PageCodec.PageUnit, Pages = (1 << 20) / PageSize;

    private readonly byte[] _copy = GC.AllocateArray<byte>(PageSize, pinned: true);
    private NativeBuffer _pages = null!;
    private int _at;

    [GlobalSetup]
    public void Seal()
    {
        _pages = new NativeBuffer(Pages * PageSize);
        var random = new Random(1);
        for (int page = 0; page < Pages; page++)
        {
            Span<byte> bytes = Page(page);
            random.NextBytes(bytes);
            PageCodec.Seal(bytes, PageKind.PlainNodes, 10, Identity(page), PageSize - PageCodec.HeaderSize);
        }
    }

    [GlobalCleanup]
    public void Dispose()
    {
        _pages.Dispose();
        GC.SuppressFinalize(this);
    }

    [BenchmarkCategory("Hot"), Benchmark(Baseline = true)]
    public void Hot_Copy() => Page(0).CopyTo(_copy);

    [BenchmarkCategory("Hot"), Benchmark]
    public bool Hot_Check() => IsIntact(0);

    [BenchmarkCategory("Rotating"), Benchmark(Baseline = true)]
    public void Rotating_Copy() => Page(Next()).CopyTo(_copy);

    [BenchmarkCategory("Rotating"), Benchmark]
    public bool Rotating_Check() => IsIntact(Next());

    private static PageIdentity Identity(int page) => new(0x5eed, page, 1);

    private bool IsIntact(int page) => PageCodec.Check(Page(page), PageKind.PlainNodes, Identity(page)) == PageFault.None;

    private Span<byte> Page(int page) => new(_pages.Pointer + ((nint)page * PageSize), PageSize);

    // An odd step visits all pages, in an order that the hardware does not foresee.
    private int Next() => _at = (_at + 97) % Pages;
}
