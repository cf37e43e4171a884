using System.Numerics;
using NUnit.Framework;
using VectorPipe.Numerics.Distances;

namespace VectorPipe.Tests.Numerics;

/// <summary>Compares one row and four rows of one width with sums in double precision, at odd addresses.</summary>
internal sealed unsafe class FloatCheck<TRow>(int dimension) : IKernelCheck
    where TRow : unmanaged, INumberBase<TRow>
{
    public void Run<TFloat, TInteger>()
        where TFloat : struct, ILanes<TFloat, float>
        where TInteger : struct, ILanes<TInteger, int>
    {
        if (dimension < TFloat.Count)
            return;
        var random = new Random(KernelCases.Seed + dimension);
        var rows = new TRow[5 * dimension];
        var query = new float[dimension];
        for (int pattern = 0; pattern < 4; pattern++)
        {
            KernelCases.Fill<float>(query, random, pattern);
            KernelCases.Fill<TRow>(rows, random, pattern);
            for (int offset = 0; offset < 4; offset++)
            {
                byte[] queryBytes = new byte[(dimension * 4) + 8], rowBytes = new byte[(rows.Length * sizeof(TRow)) + 8];
                fixed (byte* queryPinned = queryBytes, rowPinned = rowBytes)
                {
                    float* q = (float*)(queryPinned + offset);
                    TRow* x = (TRow*)(rowPinned + 3 - offset);
                    query.CopyTo(new Span<float>(q, dimension));
                    rows.CopyTo(new Span<TRow>(x, rows.Length));
                    Term<TFloat, SquaredDifferenceTerm>(q, x, $"squared L2, pattern {pattern}, offset {offset}");
                    Term<TFloat, ProductTerm>(q, x, $"dot, pattern {pattern}, offset {offset}");
                    DotAndNorm<TFloat>(q, x);
                }
            }
        }
    }

    private void Term<TFloat, TTerm>(float* query, TRow* rows, string where)
        where TFloat : struct, ILanes<TFloat, float>
        where TTerm : struct, ITerm
    {
        float* four = stackalloc float[4];
        int n = dimension;
        RowKernels<TFloat, float>.Four<float, TRow, TTerm>(query, rows, rows + n, rows + (2 * n), rows + (3 * n), n, four);
        for (int r = 0; r < 4; r++)
        {
            float one = RowKernels<TFloat, float>.One<float, TRow, TTerm>(query, rows + (r * n), n);
            Near(one, Exact<TTerm>(query, rows + (r * n), out double absolute), absolute, where);
            Assert.That(
                BitConverter.SingleToInt32Bits(four[r]), Is.EqualTo(BitConverter.SingleToInt32Bits(one)), $"{where}: row {r} of four");
        }
    }

    private void DotAndNorm<TFloat>(float* query, TRow* row)
        where TFloat : struct, ILanes<TFloat, float>
    {
        float dot = RowKernels<TFloat, float>.DotAndSquaredNorm(query, row, dimension, out float norm);
        Near(dot, Exact<ProductTerm>(query, row, out double absolute), absolute, "dot beside the norm");
        double expected = 0;
        for (int i = 0; i < dimension; i++)
            expected += double.CreateTruncating(row[i]) * double.CreateTruncating(row[i]);
        Near(norm, expected, expected, "norm");
    }

    private double Exact<TTerm>(float* query, TRow* row, out double absolute)
    {
        double sum = 0;
        absolute = 0;
        for (int i = 0; i < dimension; i++)
        {
            double x = double.CreateTruncating(row[i]);
            double term = typeof(TTerm) == typeof(ProductTerm) ? query[i] * x : (query[i] - x) * (query[i] - x);
            sum += term;
            absolute += Math.Abs(term);
        }

        return sum;
    }

    private void Near(float actual, double expected, double absolute, string where) =>
        Assert.That(Math.Abs(actual - expected), Is.LessThanOrEqualTo(Math.Max(2, dimension) * absolute * Math.Pow(2, -23)), where);
}
