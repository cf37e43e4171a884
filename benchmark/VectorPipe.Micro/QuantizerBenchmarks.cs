using BenchmarkDotNet.Attributes;
using VectorPipe.Quantization;

namespace VectorPipe.Micro;

/// <summary>Filling the table of a query, coding 1,024 vectors (times are per vector), and training on them.</summary>
[MemoryDiagnoser]
public class QuantizerBenchmarks
{
    private const int Vectors = 1024, Centroids = Quantizer.CentroidsPerChunk;

    private readonly byte[] _codes = new byte[Vectors * 128];
    private float[] _sample = [];
    private float[] _scalarTable = [];
    private Quantizer _quantizer = null!;
    private Quantizer _turning = null!;
    private CodeDistanceTable _table = null!;

    [Params(128, 1536)]
    public int Dimension { get; set; }

    [Params(32, 96)]
    public int CodeBytes { get; set; }

    [GlobalSetup]
    public void Train()
    {
        var random = new Random(1);
        _sample = [.. Enumerable.Range(0, Vectors * Dimension).Select(_ => random.NextSingle())];
        _quantizer = Quantizer.Train(_sample, Vectors, Dimension, CodeBytes, iterations: 1);
        float[] axes = new float[Dimension * Dimension];
        for (int k = 0; k < Dimension; k++)
            axes[(k * Dimension) + (Dimension - 1 - k)] = 1;
        _turning = new Quantizer(
            _quantizer.ChunkOffsets.ToArray(), _quantizer.Mean.ToArray(), _quantizer.Centroids.ToArray(), new Rotation(Dimension, axes));
        _table = new CodeDistanceTable(Dimension, CodeBytes);
        _scalarTable = new float[CodeBytes * Centroids];
    }

    [BenchmarkCategory("Table"), Benchmark(Baseline = true)]
    public void Table_L2_Scalar()
    {
        ReadOnlySpan<float> mean = _quantizer.Mean, centroids = _quantizer.Centroids;
        for (int chunk = 0; chunk < CodeBytes; chunk++)
        {
            for (int centroid = 0; centroid < Centroids; centroid++)
            {
                float sum = 0;
                for (int k = _quantizer.ChunkOffsets[chunk]; k < _quantizer.ChunkOffsets[chunk + 1]; k++)
                {
                    float difference = _sample[k] - mean[k] - centroids[(k * Centroids) + centroid];
                    sum += difference * difference;
                }

                _scalarTable[(chunk * Centroids) + centroid] = sum;
            }
        }
    }

    [BenchmarkCategory("Table"), Benchmark]
    public void Table_L2() => _table.SetQuery(_quantizer, DistanceMetric.L2, _sample.AsSpan(0, Dimension));

    [BenchmarkCategory("Table"), Benchmark]
    public void Table_InnerProduct() => _table.SetQuery(_quantizer, DistanceMetric.InnerProduct, _sample.AsSpan(0, Dimension));

    [BenchmarkCategory("Encode"), Benchmark(Baseline = true, OperationsPerInvoke = Vectors)]
    public void Encode_Scalar()
    {
        ReadOnlySpan<float> mean = _quantizer.Mean, centroids = _quantizer.Centroids;
        ReadOnlySpan<int> offsets = _quantizer.ChunkOffsets;
        for (int vector = 0; vector < Vectors; vector++)
        {
            ReadOnlySpan<float> components = _sample.AsSpan(vector * Dimension, Dimension);
            for (int chunk = 0; chunk < CodeBytes; chunk++)
            {
                float nearest = float.PositiveInfinity;
                for (int centroid = 0; centroid < Centroids; centroid++)
                {
                    float sum = 0;
                    for (int k = offsets[chunk]; k < offsets[chunk + 1]; k++)
                    {
                        float difference = components[k] - mean[k] - centroids[(k * Centroids) + centroid];
                        sum += difference * difference;
                    }

                    if (sum >= nearest)
                        continue;
                    nearest = sum;
                    _codes[(vector * CodeBytes) + chunk] = (byte)centroid;
                }
            }
        }
    }

    [BenchmarkCategory("Encode"), Benchmark(OperationsPerInvoke = Vectors)]
    public void Encode() => _quantizer.Encode(_sample, Vectors, _codes.AsSpan(0, Vectors * CodeBytes));

    /// <summary>With a rotation before it.</summary>
    [BenchmarkCategory("Encode"), Benchmark(OperationsPerInvoke = Vectors)]
    public void Encode_Rotated() => _turning.Encode(_sample, Vectors, _codes.AsSpan(0, Vectors * CodeBytes));

    /// <summary>With a rotation before it.</summary>
    [BenchmarkCategory("Table"), Benchmark]
    public void Table_L2_Rotated() => _table.SetQuery(_turning, DistanceMetric.L2, _sample.AsSpan(0, Dimension));

    /// <summary>All centroids from a sample, with as many iterations as a build takes at most.</summary>
    [BenchmarkCategory("Train"), Benchmark(Baseline = true)]
    public object Train_Product() => Quantizer.Train(_sample, Vectors, Dimension, CodeBytes);
}
