using System.Runtime.CompilerServices;

namespace VectorPipe.Numerics.Distances;

/// <summary>query x row: sums to the inner product.</summary>
internal readonly unsafe struct ProductTerm : ITerm
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    static TLanes ITerm.Add<TLanes, TSum>(TLanes sum, TLanes query, TLanes row) => TLanes.MultiplyAdd(query, row, sum);

    static TSum ITerm.Scalar<TSum, TQuery, TRow>(TQuery* query, TRow* row, int dimension) =>
        ScalarKernels.Dot<TSum, TQuery, TRow>(query, row, dimension);
}
