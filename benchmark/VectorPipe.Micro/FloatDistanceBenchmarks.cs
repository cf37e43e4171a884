using System.Numerics;
using System.Numerics.Tensors;
using BenchmarkDotNet.Attributes;
using VectorPipe.Numerics.Distances;

namespace VectorPipe.Micro;

/// <summary>Distances of one query to 64 rows of float or Half that lie in the second-level cache; times are per distance.</summary>
/// <remarks>
/// The framework's primitives take query and row in one type, and <c>Distance</c> is the root of the sum that the kernels give.
/// </remarks>
/// <typeparam name="T">Type of a row's component; the kernels hold the query as floats.</typeparam>
[MemoryDiagnoser]
[GenericTypeArguments(typeof(float))]
[GenericTypeArguments(typeof(Half))]
public unsafe class FloatDistanceBenchmarks<T>
    where T : unmanaged, INumber<T>, IRootFunctions<T>
{
    private const int Rows = 64;

    private readonly float[] _result = GC.AllocateArray<float>(Rows, pinned: true);
    private float[] _query = [];
    private T[] _sameType = [];
    private T[] _rows = [];

    [Params(128, 384, 1536)]
    public int Dimension { get; set; }

    [GlobalSetup]
    public void Fill()
    {
        var random = new Random(1);
        _query = GC.AllocateArray<float>(Dimension, pinned: true);
        _rows = GC.AllocateArray<T>(Dimension * Rows, pinned: true);
        foreach (ref T value in _rows.AsSpan())
            value = T.CreateTruncating(random.NextSingle());
        foreach (ref float value in _query.AsSpan())
            value = random.NextSingle();
        _sameType = [.. _query.Select(T.CreateTruncating)];
    }

    [BenchmarkCategory("L2"), Benchmark(Baseline = true, OperationsPerInvoke = Rows)]
    public void L2_Scalar()
    {
        fixed (float* query = _query)
        {
            fixed (T* rows = _rows)
            {
                for (int i = 0; i < Rows; i++)
                    _result[i] = ScalarKernels.SquaredL2<float, float, T>(query, rows + (i * Dimension), Dimension);
            }
        }
    }

    [BenchmarkCategory("L2"), Benchmark(OperationsPerInvoke = Rows)]
    public void L2_TensorPrimitives()
    {
        for (int i = 0; i < Rows; i++)
            _result[i] = float.CreateTruncating(TensorPrimitives.Distance<T>(_sameType, Row(i)));
    }

    [BenchmarkCategory("L2"), Benchmark(OperationsPerInvoke = Rows)]
    public void L2_OneRow() => FloatKernelLoops.One<T, SquaredDifferenceTerm>(_query, _rows, _result);

    [BenchmarkCategory("L2"), Benchmark(OperationsPerInvoke = Rows)]
    public void L2_FourRows() => FloatKernelLoops.Four<T, SquaredDifferenceTerm>(_query, _rows, _result);

    [BenchmarkCategory("Dot"), Benchmark(Baseline = true, OperationsPerInvoke = Rows)]
    public void Dot_Scalar()
    {
        fixed (float* query = _query)
        {
            fixed (T* rows = _rows)
            {
                for (int i = 0; i < Rows; i++)
                    _result[i] = ScalarKernels.Dot<float, float, T>(query, rows + (i * Dimension), Dimension);
            }
        }
    }

    [BenchmarkCategory("Dot"), Benchmark(OperationsPerInvoke = Rows)]
    public void Dot_TensorPrimitives()
    {
        for (int i = 0; i < Rows; i++)
            _result[i] = float.CreateTruncating(TensorPrimitives.Dot<T>(_sameType, Row(i)));
    }

    [BenchmarkCategory("Dot"), Benchmark(OperationsPerInvoke = Rows)]
    public void Dot_OneRow() => FloatKernelLoops.One<T, ProductTerm>(_query, _rows, _result);

    [BenchmarkCategory("Dot"), Benchmark(OperationsPerInvoke = Rows)]
    public void Dot_FourRows() => FloatKernelLoops.Four<T, ProductTerm>(_query, _rows, _result);

    [BenchmarkCategory("Cosine"), Benchmark(Baseline = true, OperationsPerInvoke = Rows)]
    public float Cosine_Scalar()
    {
        float norms = 0;
        fixed (float* query = _query)
        {
            fixed (T* rows = _rows)
            {
                for (int i = 0; i < Rows; i++)
                {
                    T* row = rows + (i * Dimension);
                    _result[i] = ScalarKernels.Dot<float, float, T>(query, row, Dimension);
                    norms += ScalarKernels.Dot<float, T, T>(row, row, Dimension);
                }
            }
        }

        return norms;
    }

    [BenchmarkCategory("Cosine"), Benchmark(OperationsPerInvoke = Rows)]
    public void Cosine_TensorPrimitives()
    {
        for (int i = 0; i < Rows; i++)
            _result[i] = float.CreateTruncating(TensorPrimitives.CosineSimilarity<T>(_sameType, Row(i)));
    }

    [BenchmarkCategory("Cosine"), Benchmark(OperationsPerInvoke = Rows)]
    public float Cosine_DotAndSquaredNorm() => FloatKernelLoops.DotAndSquaredNorm(_query, _rows, _result);

    private ReadOnlySpan<T> Row(int i) => _rows.AsSpan(i * Dimension, Dimension);
}
