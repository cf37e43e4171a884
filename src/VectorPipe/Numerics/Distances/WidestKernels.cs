using System.Numerics;
using System.Runtime.CompilerServices;

namespace VectorPipe.Numerics.Distances;

/// <summary>Row kernels of the widest registers that the processor has and a row fills. No state.</summary>
internal static unsafe class WidestKernels<TLanes512, TLanes256, TLanes128, TSum>
    where TLanes512 : struct, ILanes<TLanes512, TSum>
    where TLanes256 : struct, ILanes<TLanes256, TSum>
    where TLanes128 : struct, ILanes<TLanes128, TSum>
    where TSum : unmanaged, INumber<TSum>
{
    /// <summary>The sum over one row.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static TSum One<TQuery, TRow, TTerm>(TQuery* query, TRow* row, int dimension)
        where TQuery : unmanaged, INumberBase<TQuery>
        where TRow : unmanaged, INumberBase<TRow>
        where TTerm : struct, ITerm
    {
        if (TLanes512.IsSupported && dimension >= TLanes512.Count)
            return RowKernels<TLanes512, TSum>.One<TQuery, TRow, TTerm>(query, row, dimension);
        if (TLanes256.IsSupported && dimension >= TLanes256.Count)
            return RowKernels<TLanes256, TSum>.One<TQuery, TRow, TTerm>(query, row, dimension);
        if (TLanes128.IsSupported && dimension >= TLanes128.Count)
            return RowKernels<TLanes128, TSum>.One<TQuery, TRow, TTerm>(query, row, dimension);
        return TTerm.Scalar<TSum, TQuery, TRow>(query, row, dimension);
    }

    /// <summary>The sums over four rows.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Four<TQuery, TRow, TTerm>(TQuery* query, TRow* r0, TRow* r1, TRow* r2, TRow* r3, int dimension, TSum* result)
        where TQuery : unmanaged, INumberBase<TQuery>
        where TRow : unmanaged, INumberBase<TRow>
        where TTerm : struct, ITerm
    {
        if (TLanes512.IsSupported && dimension >= TLanes512.Count)
        {
            RowKernels<TLanes512, TSum>.Four<TQuery, TRow, TTerm>(query, r0, r1, r2, r3, dimension, result);
        }
        else if (TLanes256.IsSupported && dimension >= TLanes256.Count)
        {
            RowKernels<TLanes256, TSum>.Four<TQuery, TRow, TTerm>(query, r0, r1, r2, r3, dimension, result);
        }
        else if (TLanes128.IsSupported && dimension >= TLanes128.Count)
        {
            RowKernels<TLanes128, TSum>.Four<TQuery, TRow, TTerm>(query, r0, r1, r2, r3, dimension, result);
        }
        else
        {
            result[0] = TTerm.Scalar<TSum, TQuery, TRow>(query, r0, dimension);
            result[1] = TTerm.Scalar<TSum, TQuery, TRow>(query, r1, dimension);
            result[2] = TTerm.Scalar<TSum, TQuery, TRow>(query, r2, dimension);
            result[3] = TTerm.Scalar<TSum, TQuery, TRow>(query, r3, dimension);
        }
    }

    /// <summary>Inner product of query and row, and the squared norm of the row.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static TSum DotAndSquaredNorm<TQuery, TRow>(TQuery* query, TRow* row, int dimension, out TSum squaredNorm)
        where TQuery : unmanaged, INumberBase<TQuery>
        where TRow : unmanaged, INumberBase<TRow>
    {
        if (TLanes512.IsSupported && dimension >= TLanes512.Count)
            return RowKernels<TLanes512, TSum>.DotAndSquaredNorm(query, row, dimension, out squaredNorm);
        if (TLanes256.IsSupported && dimension >= TLanes256.Count)
            return RowKernels<TLanes256, TSum>.DotAndSquaredNorm(query, row, dimension, out squaredNorm);
        if (TLanes128.IsSupported && dimension >= TLanes128.Count)
            return RowKernels<TLanes128, TSum>.DotAndSquaredNorm(query, row, dimension, out squaredNorm);
        squaredNorm = ScalarKernels.Dot<TSum, TRow, TRow>(row, row, dimension);
        return ScalarKernels.Dot<TSum, TQuery, TRow>(query, row, dimension);
    }
}
