using BenchmarkDotNet.Attributes;
using VectorPipe.Numerics.Hashing;

namespace VectorPipe.Micro;

/// <summary>CRC-32C of one hot page of 4 KiB, by each path that the processor offers.</summary>
[MemoryDiagnoser]
public unsafe class ChecksumBenchmarks
{
    private readonly byte[] _page = GC.AllocateArray<byte>(4096, pinned: true);

    [GlobalSetup]
    public void Fill() => new Random(1).NextBytes(_page);

    [BenchmarkCategory("Crc32C"), Benchmark(Baseline = true)]
    public uint Plain()
    {
        fixed (byte* page = _page)
            return Crc32C.Plain(page, _page.Length, ~0u);
    }

    [BenchmarkCategory("Crc32C"), Benchmark]
    public uint Fold128()
    {
        fixed (byte* page = _page)
            return Crc32C.CanFold128 ? Crc32C.Fold128(page, _page.Length, ~0u) : 0;
    }

    [BenchmarkCategory("Crc32C"), Benchmark]
    public uint Compute() => Crc32C.Compute(_page);
}
