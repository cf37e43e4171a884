using System.IO.Hashing;
using BenchmarkDotNet.Attributes;
using VectorPipe.Numerics.Hashing;

namespace VectorPipe.Micro;

/// <summary>The library's hashes and those of System.IO.Hashing: identities of a megabyte, checksums of a hot page of 4 KiB.</summary>
[MemoryDiagnoser]
public class HashBenchmarks
{
    private readonly byte[] _megabyte = new byte[1 << 20];
    private readonly byte[] _page = new byte[4096];

    [GlobalSetup]
    public void Fill()
    {
        new Random(1).NextBytes(_megabyte);
        new Random(2).NextBytes(_page);
    }

    [BenchmarkCategory("Identity"), Benchmark]
    public ulong ContentHashMegabyte()
    {
        var hash = new ContentHash();
        hash.Add(_megabyte);
        return hash.Value;
    }

    [BenchmarkCategory("Identity"), Benchmark]
    public UInt128 XxHash128Megabyte() => XxHash128.HashToUInt128(_megabyte);

    [BenchmarkCategory("Page"), Benchmark]
    public uint Crc32CPage() => Crc32C.Compute(_page);

    [BenchmarkCategory("Page"), Benchmark]
    public uint LibraryCrc32Page() => Crc32.HashToUInt32(_page);

    [BenchmarkCategory("Page"), Benchmark]
    public UInt128 XxHash128Page() => XxHash128.HashToUInt128(_page);

    [BenchmarkCategory("Page"), Benchmark]
    public ulong XxHash3Page() => XxHash3.HashToUInt64(_page);
}
