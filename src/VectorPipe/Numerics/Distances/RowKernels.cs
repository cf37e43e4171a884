using System.Runtime.CompilerServices;

namespace VectorPipe.Numerics.Distances;

/// <summary>Sums over a query and one row, or four rows at once, with registers of one width. No state.</summary>
/// <remarks>
/// <para>The dimension is at least <c>TLanes.Count</c>; rows lie at any address and nothing outside them is read: the components left over
/// after whole registers are taken from the last whole register of the row, with those already counted zeroed.</para>
/// <para>A row's sum is bit for bit the same from <see cref="One"/> and <see cref="Four"/>, whatever the other rows are: two accumulators
/// a row, filled and added in the same order.</para>
/// <para>AggressiveOptimization: see docs/decisions.md#compiled-at-once.</para>
/// </remarks>
internal static unsafe class RowKernels<TLanes, TSum>
    where TLanes : struct, ILanes<TLanes, TSum>
    where TSum : unmanaged
{
    /// <summary>The sum over one row.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static TSum One<TQuery, TRow, TTerm>(TQuery* query, TRow* row, int dimension)
        where TQuery : unmanaged
        where TRow : unmanaged
        where TTerm : struct, ITerm
    {
        TLanes even = default, odd = default;
        int i = 0;
        for (; i <= dimension - (2 * TLanes.Count); i += 2 * TLanes.Count)
        {
            even = TTerm.Add<TLanes, TSum>(even, TLanes.Load(query + i), TLanes.Load(row + i));
            odd = TTerm.Add<TLanes, TSum>(odd, TLanes.Load(query + i + TLanes.Count), TLanes.Load(row + i + TLanes.Count));
        }

        if (i <= dimension - TLanes.Count)
        {
            even = TTerm.Add<TLanes, TSum>(even, TLanes.Load(query + i), TLanes.Load(row + i));
            i += TLanes.Count;
        }

        if (i < dimension)
        {
            int last = dimension - TLanes.Count;
            TLanes q = TLanes.KeepLast(TLanes.Load(query + last), dimension - i);
            odd = TTerm.Add<TLanes, TSum>(odd, q, TLanes.KeepLast(TLanes.Load(row + last), dimension - i));
        }

        return TLanes.Sum(TLanes.AddSums(even, odd));
    }

    /// <summary>The sums over four rows: the query is loaded once, the sums are reduced jointly.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static void Four<TQuery, TRow, TTerm>(TQuery* query, TRow* row0, TRow* row1, TRow* row2, TRow* row3, int dimension, TSum* result)
        where TQuery : unmanaged
        where TRow : unmanaged
        where TTerm : struct, ITerm
    {
        TLanes even0 = default, even1 = default, even2 = default, even3 = default;
        TLanes odd0 = default, odd1 = default, odd2 = default, odd3 = default;
        int i = 0;
        for (; i <= dimension - (2 * TLanes.Count); i += 2 * TLanes.Count)
        {
            TLanes q = TLanes.Load(query + i);
            even0 = TTerm.Add<TLanes, TSum>(even0, q, TLanes.Load(row0 + i));
            even1 = TTerm.Add<TLanes, TSum>(even1, q, TLanes.Load(row1 + i));
            even2 = TTerm.Add<TLanes, TSum>(even2, q, TLanes.Load(row2 + i));
            even3 = TTerm.Add<TLanes, TSum>(even3, q, TLanes.Load(row3 + i));
            q = TLanes.Load(query + i + TLanes.Count);
            odd0 = TTerm.Add<TLanes, TSum>(odd0, q, TLanes.Load(row0 + i + TLanes.Count));
            odd1 = TTerm.Add<TLanes, TSum>(odd1, q, TLanes.Load(row1 + i + TLanes.Count));
            odd2 = TTerm.Add<TLanes, TSum>(odd2, q, TLanes.Load(row2 + i + TLanes.Count));
            odd3 = TTerm.Add<TLanes, TSum>(odd3, q, TLanes.Load(row3 + i + TLanes.Count));
        }

        if (i <= dimension - TLanes.Count)
        {
            TLanes q = TLanes.Load(query + i);
            even0 = TTerm.Add<TLanes, TSum>(even0, q, TLanes.Load(row0 + i));
            even1 = TTerm.Add<TLanes, TSum>(even1, q, TLanes.Load(row1 + i));
            even2 = TTerm.Add<TLanes, TSum>(even2, q, TLanes.Load(row2 + i));
            even3 = TTerm.Add<TLanes, TSum>(even3, q, TLanes.Load(row3 + i));
            i += TLanes.Count;
        }

        if (i < dimension)
        {
            int last = dimension - TLanes.Count, left = dimension - i;
            TLanes q = TLanes.KeepLast(TLanes.Load(query + last), left);
            odd0 = TTerm.Add<TLanes, TSum>(odd0, q, TLanes.KeepLast(TLanes.Load(row0 + last), left));
            odd1 = TTerm.Add<TLanes, TSum>(odd1, q, TLanes.KeepLast(TLanes.Load(row1 + last), left));
            odd2 = TTerm.Add<TLanes, TSum>(odd2, q, TLanes.KeepLast(TLanes.Load(row2 + last), left));
            odd3 = TTerm.Add<TLanes, TSum>(odd3, q, TLanes.KeepLast(TLanes.Load(row3 + last), left));
        }

        TLanes.Sum4(
            TLanes.AddSums(even0, odd0), TLanes.AddSums(even1, odd1), TLanes.AddSums(even2, odd2), TLanes.AddSums(even3, odd3), result);
    }

    /// <summary>Inner product of query and row, and the row's squared norm, in one visit of the row.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static TSum DotAndSquaredNorm<TQuery, TRow>(TQuery* query, TRow* row, int dimension, out TSum squaredNorm)
        where TQuery : unmanaged
        where TRow : unmanaged
    {
        TLanes evenDot = default, oddDot = default, evenNorm = default, oddNorm = default;
        int i = 0;
        for (; i <= dimension - (2 * TLanes.Count); i += 2 * TLanes.Count)
        {
            TLanes x = TLanes.Load(row + i);
            evenDot = TLanes.MultiplyAdd(TLanes.Load(query + i), x, evenDot);
            evenNorm = TLanes.MultiplyAdd(x, x, evenNorm);
            x = TLanes.Load(row + i + TLanes.Count);
            oddDot = TLanes.MultiplyAdd(TLanes.Load(query + i + TLanes.Count), x, oddDot);
            oddNorm = TLanes.MultiplyAdd(x, x, oddNorm);
        }

        if (i <= dimension - TLanes.Count)
        {
            TLanes x = TLanes.Load(row + i);
            evenDot = TLanes.MultiplyAdd(TLanes.Load(query + i), x, evenDot);
            evenNorm = TLanes.MultiplyAdd(x, x, evenNorm);
            i += TLanes.Count;
        }

        if (i < dimension)
        {
            int last = dimension - TLanes.Count;
            TLanes x = TLanes.KeepLast(TLanes.Load(row + last), dimension - i);
            oddDot = TLanes.MultiplyAdd(TLanes.Load(query + last), x, oddDot);
            oddNorm = TLanes.MultiplyAdd(x, x, oddNorm);
        }

        squaredNorm = TLanes.Sum(TLanes.AddSums(evenNorm, oddNorm));
        return TLanes.Sum(TLanes.AddSums(evenDot, oddDot));
    }
}
