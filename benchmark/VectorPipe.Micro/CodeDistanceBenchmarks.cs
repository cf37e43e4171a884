using System.Runtime.InteropServices;
using BenchmarkDotNet.Attributes;
using VectorPipe.Numerics;
using VectorPipe.Quantization;

namespace VectorPipe.Micro;

/// <summary>Look-ups of 64 random codes of 32 bytes at a time; times are per code.</summary>
public unsafe class CodeDistanceBenchmarks
{
    private const int Dimension = 128, CodeBytes = 32, Batch = 64, Batches = 1 << 15;

    private readonly uint[] _ids = new uint[Batch * Batches];
    private readonly float[] _result = new float[Batch];
    private CodeDistanceTable _table = new(Dimension, CodeBytes);
    private byte* _codes;
    private int _at;

    /// <summary>All codes together: within the second-level cache, or well beyond it.</summary>
    [Params(64 << 10, 32 << 20, 1 << 30)]
    public int TotalBytes { get; set; }

    [GlobalSetup]
    public void Fill()
    {
        var random = new Random(1);
        float[] sample = [.. Enumerable.Range(0, 300 * Dimension).Select(_ => random.NextSingle())];
        // 2 million look-ups pass before an id comes again, so that the large sets do not become resident in the caches.
        _codes = (byte*)NativeMemory.AlignedAlloc((nuint)TotalBytes, 64);
        random.NextBytes(new Span<byte>(_codes, TotalBytes));
        foreach (ref uint id in _ids.AsSpan())
            id = (uint)random.Next(TotalBytes / CodeBytes);
        _table = new CodeDistanceTable(Dimension, CodeBytes);
        _table.SetQuery(ProductQuantizer.Train(sample, 300, Dimension, CodeBytes, iterations: 1), DistanceMetric.L2, sample.AsSpan(0, Dimension));
    }

    [GlobalCleanup]
    public void Free() => NativeMemory.AlignedFree(_codes);

    [Benchmark(Baseline = true, OperationsPerInvoke = Batch)]
    public void OneByOne()
    {
        ReadOnlySpan<uint> ids = NextBatch();
        for (int i = 0; i < Batch; i++)
            _result[i] = _table.One(_codes + ((nint)ids[i] * CodeBytes));
    }

    [Benchmark(OperationsPerInvoke = Batch)]
    public void Interleaved()
    {
        fixed (uint* ids = NextBatch())
        {
            fixed (float* result = _result)
            {
                for (int i = 0; i < Batch; i += 8)
                    _table.InterleavedEight(_codes, ids + i, result + i);
            }
        }
    }

    [Benchmark(OperationsPerInvoke = Batch)]
    public void PrefetchedBatch() => _table.Distances(_codes, NextBatch(), _result);

    private ReadOnlySpan<uint> NextBatch() => _ids.AsSpan(Batch * (_at++ % Batches), Batch);
}
