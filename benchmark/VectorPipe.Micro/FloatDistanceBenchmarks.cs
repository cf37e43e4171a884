using System.Numerics.Tensors;
using BenchmarkDotNet.Attributes;
using VectorPipe.Numerics;

namespace VectorPipe.Micro;

/// <summary>Distances of one query to 64 float rows that lie in the second-level cache; times are per distance.</summary>
public unsafe class FloatDistanceBenchmarks
{
    private const int Rows = 64;

    private float[] _query = [];
    private float[] _rows = [];
    private Half[] _halves = [];
    private readonly float[] _result = GC.AllocateArray<float>(Rows, pinned: true);

    [Params(128, 384, 1536)]
    public int Dimension { get; set; }

    [GlobalSetup]
    public void Fill()
    {
        var random = new Random(1);
        _query = GC.AllocateArray<float>(Dimension, pinned: true);
        _rows = GC.AllocateArray<float>(Dimension * Rows, pinned: true);
        _halves = GC.AllocateArray<Half>(Dimension * Rows, pinned: true);
        for (int i = 0; i < _query.Length; i++)
            _query[i] = random.NextSingle();
        for (int i = 0; i < _rows.Length; i++)
            _halves[i] = (Half)(_rows[i] = random.NextSingle());
    }

    [Benchmark(Baseline = true, OperationsPerInvoke = Rows)]
    public void SquaredL2_Scalar()
    {
        fixed (float* query = _query, rows = _rows)
        {
            for (int i = 0; i < Rows; i++)
                _result[i] = ScalarKernels.SquaredL2<float, float, float>(query, rows + (i * Dimension), Dimension);
        }
    }

    [Benchmark(OperationsPerInvoke = Rows)]
    public void Distance_TensorPrimitives()
    {
        for (int i = 0; i < Rows; i++)
            _result[i] = TensorPrimitives.Distance(_query, _rows.AsSpan(i * Dimension, Dimension));
    }

    [Benchmark(OperationsPerInvoke = Rows)]
    public void SquaredL2_OneRow()
    {
        fixed (float* query = _query, rows = _rows)
        {
            for (int i = 0; i < Rows; i++)
                _result[i] = DistanceKernels.SquaredL2(query, rows + (i * Dimension), Dimension);
        }
    }

    [Benchmark(OperationsPerInvoke = Rows)]
    public void SquaredL2_FourRows()
    {
        fixed (float* query = _query, rows = _rows, result = _result)
        {
            int n = Dimension;
            float* row = rows;
            for (int i = 0; i < Rows; i += 4, row += 4 * n)
                DistanceKernels.SquaredL2x4(query, row, row + n, row + (2 * n), row + (3 * n), n, result + i);
        }
    }

    [Benchmark(OperationsPerInvoke = Rows)]
    public void Dot_FourRows()
    {
        fixed (float* query = _query, rows = _rows, result = _result)
        {
            int n = Dimension;
            float* row = rows;
            for (int i = 0; i < Rows; i += 4, row += 4 * n)
                DistanceKernels.Dotx4(query, row, row + n, row + (2 * n), row + (3 * n), n, result + i);
        }
    }

    [Benchmark(OperationsPerInvoke = Rows)]
    public void DotAndSquaredNorm()
    {
        fixed (float* query = _query, rows = _rows)
        {
            for (int i = 0; i < Rows; i++)
                _result[i] = DistanceKernels.FloatDotAndSquaredNorm(query, rows + (i * Dimension), Dimension, out _);
        }
    }

    [Benchmark(OperationsPerInvoke = Rows)]
    public void SquaredL2_Half_FourRows()
    {
        fixed (float* query = _query, result = _result)
        {
            fixed (Half* rows = _halves)
            {
                int n = Dimension;
                Half* row = rows;
                for (int i = 0; i < Rows; i += 4, row += 4 * n)
                    DistanceKernels.FloatFour<Half, SquaredDifferenceTerm>(query, row, row + n, row + (2 * n), row + (3 * n), n, result + i);
            }
        }
    }
}
