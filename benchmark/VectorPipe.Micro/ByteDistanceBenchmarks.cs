using BenchmarkDotNet.Attributes;
using VectorPipe.Numerics;

namespace VectorPipe.Micro;

/// <summary>Distances of one query to 64 byte rows that lie in the first- and second-level cache; times are per distance.</summary>
public unsafe class ByteDistanceBenchmarks
{
    private const int Rows = 64;

    private byte[] _query = [];
    private byte[] _rows = [];
    private readonly int[] _result = GC.AllocateArray<int>(Rows, pinned: true);

    [Params(128, 960)]
    public int Dimension { get; set; }

    [GlobalSetup]
    public void Fill()
    {
        var random = new Random(1);
        _query = GC.AllocateArray<byte>(Dimension, pinned: true);
        _rows = GC.AllocateArray<byte>(Dimension * Rows, pinned: true);
        random.NextBytes(_query);
        random.NextBytes(_rows);
    }

    [Benchmark(Baseline = true, OperationsPerInvoke = Rows)]
    public void SquaredL2_Scalar()
    {
        fixed (byte* query = _query, rows = _rows)
        {
            for (int i = 0; i < Rows; i++)
                _result[i] = ScalarKernels.SquaredL2<int, byte, byte>(query, rows + (i * Dimension), Dimension);
        }
    }

    [Benchmark(OperationsPerInvoke = Rows)]
    public void SquaredL2_OneRow()
    {
        fixed (byte* query = _query, rows = _rows)
        {
            for (int i = 0; i < Rows; i++)
                _result[i] = DistanceKernels.SquaredL2(query, rows + (i * Dimension), Dimension);
        }
    }

    [Benchmark(OperationsPerInvoke = Rows)]
    public void SquaredL2_FourRows()
    {
        fixed (byte* query = _query, rows = _rows)
        {
            fixed (int* result = _result)
            {
                int n = Dimension;
                byte* row = rows;
                for (int i = 0; i < Rows; i += 4, row += 4 * n)
                    DistanceKernels.SquaredL2x4(query, row, row + n, row + (2 * n), row + (3 * n), n, result + i);
            }
        }
    }

    [Benchmark(OperationsPerInvoke = Rows)]
    public void Dot_FourRows()
    {
        fixed (byte* query = _query, rows = _rows)
        {
            fixed (int* result = _result)
            {
                int n = Dimension;
                byte* row = rows;
                for (int i = 0; i < Rows; i += 4, row += 4 * n)
                    DistanceKernels.Dotx4(query, row, row + n, row + (2 * n), row + (3 * n), n, result + i);
            }
        }
    }

    [Benchmark(OperationsPerInvoke = Rows)]
    public void Dot_Signed_FourRows()
    {
        fixed (byte* query = _query, rows = _rows)
        {
            fixed (int* result = _result)
            {
                int n = Dimension;
                sbyte* row = (sbyte*)rows;
                for (int i = 0; i < Rows; i += 4, row += 4 * n)
                    DistanceKernels.Dotx4((sbyte*)query, row, row + n, row + (2 * n), row + (3 * n), n, result + i);
            }
        }
    }
}
