using BenchmarkDotNet.Attributes;
using VectorPipe.Numerics;
using VectorPipe.Quantization;

namespace VectorPipe.Micro;

/// <summary>Building the table of one query, and coding 1,024 vectors (times are per vector).</summary>
public class QuantizerBenchmarks
{
    private const int Vectors = 1024;

    private readonly byte[] _codes = new byte[Vectors * 128];
    private float[] _sample = [];
    private ProductQuantizer _quantizer = null!;
    private CodeDistanceTable _table = null!;

    [Params(128, 1536)]
    public int Dimension { get; set; }

    [Params(32)]
    public int CodeBytes { get; set; }

    [GlobalSetup]
    public void Train()
    {
        var random = new Random(1);
        _sample = [.. Enumerable.Range(0, Vectors * Dimension).Select(_ => random.NextSingle())];
        _quantizer = ProductQuantizer.Train(_sample, Vectors, Dimension, CodeBytes, iterations: 2);
        _table = new CodeDistanceTable(Dimension, CodeBytes);
    }

    [Benchmark]
    public void BuildTableL2() => _table.SetQuery(_quantizer, DistanceMetric.L2, _sample.AsSpan(0, Dimension));

    [Benchmark]
    public void BuildTableInnerProduct() => _table.SetQuery(_quantizer, DistanceMetric.InnerProduct, _sample.AsSpan(0, Dimension));

    [Benchmark(OperationsPerInvoke = Vectors)]
    public void Encode() => _quantizer.Encode(_sample, Vectors, _codes.AsSpan(0, Vectors * CodeBytes));
}
