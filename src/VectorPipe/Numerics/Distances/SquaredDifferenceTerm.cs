using System.Runtime.CompilerServices;

namespace VectorPipe.Numerics.Distances;

/// <summary>(query - row)²: sums to the squared Euclidean distance.</summary>
internal readonly unsafe struct SquaredDifferenceTerm : ITerm
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    static TLanes ITerm.Add<TLanes, TSum>(TLanes sum, TLanes query, TLanes row)
    {
        TLanes difference = TLanes.Subtract(row, query);
        return TLanes.MultiplyAdd(difference, difference, sum);
    }

    static TSum ITerm.Scalar<TSum, TQuery, TRow>(TQuery* query, TRow* row, int dimension) =>
        ScalarKernels.SquaredL2<TSum, TQuery, TRow>(query, row, dimension);
}
