using System.Numerics;

namespace VectorPipe.Numerics.Distances;

/// <summary>The kernels one component at a time: for rows shorter than a register, and the reference of tests.</summary>
internal static unsafe class ScalarKernels
{
    /// <summary>Sum of squared differences, in order of the components.</summary>
    public static TSum SquaredL2<TSum, TQuery, TRow>(TQuery* query, TRow* row, int dimension)
        where TSum : unmanaged, INumber<TSum>
        where TQuery : unmanaged, INumberBase<TQuery>
        where TRow : unmanaged, INumberBase<TRow>
    {
        TSum sum = TSum.Zero;
        for (int i = 0; i < dimension; i++)
        {
            TSum difference = TSum.CreateTruncating(row[i]) - TSum.CreateTruncating(query[i]);
            sum += difference * difference;
        }

        return sum;
    }

    /// <summary>Sum of products, in order of the components.</summary>
    public static TSum Dot<TSum, TQuery, TRow>(TQuery* query, TRow* row, int dimension)
        where TSum : unmanaged, INumber<TSum>
        where TQuery : unmanaged, INumberBase<TQuery>
        where TRow : unmanaged, INumberBase<TRow>
    {
        TSum sum = TSum.Zero;
        for (int i = 0; i < dimension; i++)
            sum += TSum.CreateTruncating(query[i]) * TSum.CreateTruncating(row[i]);
        return sum;
    }
}
