using System.Numerics;
using BenchmarkDotNet.Attributes;
using VectorPipe.Numerics.Distances;

namespace VectorPipe.Micro;

/// <summary>Distances of one 8-bit query to 64 rows that lie in the first- and second-level cache; times are per distance.</summary>
/// <remarks>The framework's primitives sum in the element's own type, where 8 bits overflow: there is nothing to compare with.</remarks>
/// <typeparam name="T">Type of a component.</typeparam>
[MemoryDiagnoser]
[GenericTypeArguments(typeof(byte))]
[GenericTypeArguments(typeof(sbyte))]
public unsafe class IntegerDistanceBenchmarks<T>
    where T : unmanaged, INumberBase<T>
{
    private const int Rows = 64;

    private readonly int[] _result = GC.AllocateArray<int>(Rows, pinned: true);
    private T[] _query = [];
    private T[] _rows = [];

    [Params(128, 384, 960)]
    public int Dimension { get; set; }

    [GlobalSetup]
    public void Fill()
    {
        var random = new Random(1);
        _query = GC.AllocateArray<T>(Dimension, pinned: true);
        _rows = GC.AllocateArray<T>(Dimension * Rows, pinned: true);
        foreach (ref T value in _query.AsSpan())
            value = T.CreateTruncating(random.Next(256));
        foreach (ref T value in _rows.AsSpan())
            value = T.CreateTruncating(random.Next(256));
    }

    [BenchmarkCategory("L2"), Benchmark(Baseline = true, OperationsPerInvoke = Rows)]
    public void L2_Scalar()
    {
        fixed (T* query = _query, rows = _rows)
        {
            for (int i = 0; i < Rows; i++)
                _result[i] = ScalarKernels.SquaredL2<int, T, T>(query, rows + (i * Dimension), Dimension);
        }
    }

    [BenchmarkCategory("L2"), Benchmark(OperationsPerInvoke = Rows)]
    public void L2_OneRow() => One<SquaredDifferenceTerm>();

    [BenchmarkCategory("L2"), Benchmark(OperationsPerInvoke = Rows)]
    public void L2_FourRows() => Four<SquaredDifferenceTerm>();

    [BenchmarkCategory("Dot"), Benchmark(Baseline = true, OperationsPerInvoke = Rows)]
    public void Dot_Scalar()
    {
        fixed (T* query = _query, rows = _rows)
        {
            for (int i = 0; i < Rows; i++)
                _result[i] = ScalarKernels.Dot<int, T, T>(query, rows + (i * Dimension), Dimension);
        }
    }

    [BenchmarkCategory("Dot"), Benchmark(OperationsPerInvoke = Rows)]
    public void Dot_OneRow() => One<ProductTerm>();

    [BenchmarkCategory("Dot"), Benchmark(OperationsPerInvoke = Rows)]
    public void Dot_FourRows() => Four<ProductTerm>();

    [BenchmarkCategory("Cosine"), Benchmark(Baseline = true, OperationsPerInvoke = Rows)]
    public int Cosine_Scalar()
    {
        int norms = 0;
        fixed (T* query = _query, rows = _rows)
        {
            for (int i = 0; i < Rows; i++)
            {
                T* row = rows + (i * Dimension);
                _result[i] = ScalarKernels.Dot<int, T, T>(query, row, Dimension);
                norms ^= ScalarKernels.Dot<int, T, T>(row, row, Dimension);
            }
        }

        return norms;
    }

    [BenchmarkCategory("Cosine"), Benchmark(OperationsPerInvoke = Rows)]
    public int Cosine_DotAndSquaredNorm()
    {
        int norms = 0;
        fixed (T* query = _query, rows = _rows)
        {
            for (int i = 0; i < Rows; i++)
            {
                _result[i] = DistanceKernels.IntegerDotAndSquaredNorm(query, rows + (i * Dimension), Dimension, out int norm);
                norms ^= norm;
            }
        }

        return norms;
    }

    private void One<TTerm>()
        where TTerm : struct, ITerm
    {
        fixed (T* query = _query, rows = _rows)
        {
            for (int i = 0; i < Rows; i++)
                _result[i] = DistanceKernels.IntegerOne<T, TTerm>(query, rows + (i * Dimension), Dimension);
        }
    }

    private void Four<TTerm>()
        where TTerm : struct, ITerm
    {
        int n = Dimension;
        fixed (int* result = _result)
        {
            fixed (T* query = _query, rows = _rows)
            {
                T* row = rows;
                for (int i = 0; i < Rows; i += 4, row += 4 * n)
                    DistanceKernels.IntegerFour<T, TTerm>(query, row, row + n, row + (2 * n), row + (3 * n), n, result + i);
            }
        }
    }
}
