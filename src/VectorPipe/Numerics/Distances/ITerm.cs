using System.Numerics;

namespace VectorPipe.Numerics.Distances;

/// <summary>What one pair of components adds to a sum over two rows.</summary>
internal unsafe interface ITerm
{
    /// <summary>sum + term(query, row) for a register of components.</summary>
    static abstract TLanes Add<TLanes, TSum>(TLanes sum, TLanes query, TLanes row)
        where TLanes : struct, ILanes<TLanes, TSum>
        where TSum : unmanaged;

    /// <summary>The whole sum by the scalar kernel.</summary>
    static abstract TSum Scalar<TSum, TQuery, TRow>(TQuery* query, TRow* row, int dimension)
        where TSum : unmanaged, INumber<TSum>
        where TQuery : unmanaged, INumberBase<TQuery>
        where TRow : unmanaged, INumberBase<TRow>;
}
