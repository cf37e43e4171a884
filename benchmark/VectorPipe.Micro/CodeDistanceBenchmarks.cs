using BenchmarkDotNet.Attributes;
using VectorPipe.Devices.Native;
using VectorPipe.Quantization;

namespace VectorPipe.Micro;

/// <summary>Look-ups of 64 random codes at a time; times are per code.</summary>
[MemoryDiagnoser]
public unsafe class CodeDistanceBenchmarks : IDisposable
{
    private const int Dimension = 128, Batch = 64, Batches = 1 << 15;

    private readonly uint[] _ids = new uint[Batch * Batches];
    private readonly float[] _result = new float[Batch];
    private NativeBuffer _memory = null!;
    private CodeDistanceTable _table = null!;
    private byte* _codes;
    private int _at;

    [Params(32, 96)]
    public int CodeBytes { get; set; }

    /// <summary>Bytes of all codes: within the second-level cache, within a large last-level cache, beyond any cache.</summary>
    [Params(512 << 10, 32 << 20, 256 << 20)]
    public int TotalBytes { get; set; }

    [GlobalSetup]
    public void Fill()
    {
        var random = new Random(1);
        float[] sample = [.. Enumerable.Range(0, 300 * Dimension).Select(_ => random.NextSingle())];
        // Memory like that of an index's codes, huge pages included.
        _memory = new NativeBuffer((nuint)TotalBytes);
        _codes = _memory.Pointer;
        random.NextBytes(new Span<byte>(_codes, TotalBytes));
        // 2 million look-ups pass before an id comes again, so that the large sets do not become resident in the caches.
        foreach (ref uint id in _ids.AsSpan())
            id = (uint)random.Next(TotalBytes / CodeBytes);
        _table = new CodeDistanceTable(Dimension, CodeBytes);
        _table.SetQuery(
            Quantizer.Train(sample, 300, Dimension, CodeBytes, iterations: 1), DistanceMetric.L2, sample.AsSpan(0, Dimension));
    }

    [GlobalCleanup]
    public void Dispose()
    {
        _memory.Dispose();
        GC.SuppressFinalize(this);
    }

    [BenchmarkCategory("LookUp"), Benchmark(Baseline = true, OperationsPerInvoke = Batch)]
    public void OneByOne()
    {
        ReadOnlySpan<uint> ids = NextBatch();
        for (int i = 0; i < Batch; i++)
            _result[i] = _table.One(_codes + ((nint)ids[i] * CodeBytes));
    }

    /// <summary>The exact table on every processor.</summary>
    [BenchmarkCategory("LookUp"), Benchmark(OperationsPerInvoke = Batch)]
    public void PrefetchedExact()
    {
        ReadOnlySpan<uint> batch = NextBatch();
        CodeDistanceTable.Prefetch(_codes, CodeBytes, batch);
        fixed (uint* ids = batch)
        {
            fixed (float* result = _result)
                _table.Exact(_codes, ids, Batch, result);
        }
    }

    /// <summary>The path of a search: the rounded table, in registers if the processor has VBMI.</summary>
    [BenchmarkCategory("LookUp"), Benchmark(OperationsPerInvoke = Batch)]
    public void PrefetchedBatch()
    {
        ReadOnlySpan<uint> batch = NextBatch();
        CodeDistanceTable.Prefetch(_codes, CodeBytes, batch);
        _table.Distances(_codes, batch, _result);
    }

    private ReadOnlySpan<uint> NextBatch() => _ids.AsSpan(Batch * ((_at++ & (Batches - 1))), Batch);
}
