using System.Numerics;
using NUnit.Framework;
using VectorPipe.Numerics.Distances;

namespace VectorPipe.Tests.Numerics;

/// <summary>Compares one row and four rows of one width with the scalar kernel, at odd addresses.</summary>
internal sealed unsafe class IntegerCheck<T>(int dimension) : IKernelCheck
    where T : unmanaged, INumberBase<T>
{
    public void Run<TFloat, TInteger>()
        where TFloat : struct, ILanes<TFloat, float>
        where TInteger : struct, ILanes<TInteger, int>
    {
        if (dimension < TInteger.Count)
            return;
        var random = new Random(KernelCases.Seed + dimension);
        var bytes = new T[(5 * dimension) + 4];
        for (int pattern = 0; pattern < 16; pattern++)
        {
            KernelCases.Fill(bytes.AsSpan(0, dimension + 2), random, pattern / 4);
            KernelCases.Fill(bytes.AsSpan(dimension + 2), random, pattern % 4);
            fixed (T* pinned = bytes)
            {
                for (int offset = 0; offset < 3; offset++)
                {
                    T* query = pinned + 2 - offset, rows = pinned + dimension + 2 + (offset / 2);
                    Term<TInteger, SquaredDifferenceTerm>(query, rows, $"squared L2, pattern {pattern}, offset {offset}");
                    Term<TInteger, ProductTerm>(query, rows, $"dot, pattern {pattern}, offset {offset}");
                    int dot = RowKernels<TInteger, int>.DotAndSquaredNorm(query, rows, dimension, out int norm);
                    Assert.That(
                        (dot, norm),
                        Is.EqualTo(
                            (ScalarKernels.Dot<int, T, T>(query, rows, dimension), ScalarKernels.Dot<int, T, T>(rows, rows, dimension))));
                }
            }
        }
    }

    private void Term<TInteger, TTerm>(T* query, T* rows, string where)
        where TInteger : struct, ILanes<TInteger, int>
        where TTerm : struct, ITerm
    {
        int* four = stackalloc int[4];
        int n = dimension;
        RowKernels<TInteger, int>.Four<T, T, TTerm>(query, rows, rows + n, rows + (2 * n), rows + (3 * n), n, four);
        for (int r = 0; r < 4; r++)
        {
            int expected = TTerm.Scalar<int, T, T>(query, rows + (r * n), n);
            Assert.That(RowKernels<TInteger, int>.One<T, T, TTerm>(query, rows + (r * n), n), Is.EqualTo(expected), where);
            Assert.That(four[r], Is.EqualTo(expected), $"{where}: row {r} of four");
        }
    }
}
