using System.Runtime.CompilerServices;

namespace VectorPipe.Numerics.Panels;

/// <summary>Sums of rows against a panel. Words are added in order, so a sum has the same bits in every tile.</summary>
/// <typeparam name="TLanes">The kind of register.</typeparam>
internal static unsafe class PanelKernel<TLanes>
    where TLanes : struct, IPanelLanes<TLanes>
{
    private const int WordSize = 4;

    /// <summary>Sums of six rows and all candidates.</summary>
    /// <param name="rows">Six addresses of rows.</param>
    /// <param name="panel">The packed candidates.</param>
    /// <param name="words">Words of a row.</param>
    /// <param name="candidates">The number of candidates; sums for up to <see cref="VectorPanel.Lanes"/> of it are written.</param>
    /// <param name="results">Six addresses that receive the sums.</param>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static void SixRows(byte** rows, byte* panel, int words, int candidates, byte** results)
    {
        byte* r0 = rows[0];
        byte* r1 = rows[1];
        byte* r2 = rows[2];
        byte* r3 = rows[3];
        byte* r4 = rows[4];
        byte* r5 = rows[5];
        nint rowBytes = (nint)words * WordSize;
        for (int lane = 0; lane < candidates; lane += 2 * TLanes.Count)
        {
            byte* p = Address(panel, words, lane);
            nint next = (nint)(Address(panel, words, lane + TLanes.Count) - p);
            TLanes a0 = default, a1 = default, a2 = default, a3 = default, a4 = default, a5 = default;
            TLanes b0 = default, b1 = default, b2 = default, b3 = default, b4 = default, b5 = default;
            for (nint offset = 0; offset < rowBytes; offset += WordSize, p += VectorPanel.GroupSize * WordSize)
            {
                TLanes pa = TLanes.Load(p);
                TLanes pb = TLanes.Load(p + next);
                TLanes r = TLanes.Broadcast(r0 + offset);
                a0 = TLanes.Accumulate(a0, pa, r);
                b0 = TLanes.Accumulate(b0, pb, r);
                r = TLanes.Broadcast(r1 + offset);
                a1 = TLanes.Accumulate(a1, pa, r);
                b1 = TLanes.Accumulate(b1, pb, r);
                r = TLanes.Broadcast(r2 + offset);
                a2 = TLanes.Accumulate(a2, pa, r);
                b2 = TLanes.Accumulate(b2, pb, r);
                r = TLanes.Broadcast(r3 + offset);
                a3 = TLanes.Accumulate(a3, pa, r);
                b3 = TLanes.Accumulate(b3, pb, r);
                r = TLanes.Broadcast(r4 + offset);
                a4 = TLanes.Accumulate(a4, pa, r);
                b4 = TLanes.Accumulate(b4, pb, r);
                r = TLanes.Broadcast(r5 + offset);
                a5 = TLanes.Accumulate(a5, pa, r);
                b5 = TLanes.Accumulate(b5, pb, r);
            }

            Store(results[0], lane, a0, b0);
            Store(results[1], lane, a1, b1);
            Store(results[2], lane, a2, b2);
            Store(results[3], lane, a3, b3);
            Store(results[4], lane, a4, b4);
            Store(results[5], lane, a5, b5);
        }
    }

    /// <summary>Sums of one row and the candidates from one on.</summary>
    /// <param name="row">The row.</param>
    /// <param name="panel">The packed candidates.</param>
    /// <param name="words">Words of the row.</param>
    /// <param name="from">First candidate, a multiple of two groups.</param>
    /// <param name="candidates">End of the candidates; sums for up to <see cref="VectorPanel.Lanes"/> of it are written.</param>
    /// <param name="result">Receives the sums, that of candidate i at entry i.</param>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static void OneRow(byte* row, byte* panel, int words, int from, int candidates, byte* result)
    {
        nint rowBytes = (nint)words * WordSize;
        int lane = from;

        // Four registers at a time hide the latency of an addition.
        for (; VectorPanel.Lanes(candidates) - lane >= 4 * TLanes.Count; lane += 4 * TLanes.Count)
        {
            byte* p = Address(panel, words, lane);
            nint second = (nint)(Address(panel, words, lane + TLanes.Count) - p);
            nint third = (nint)(Address(panel, words, lane + 2 * TLanes.Count) - p);
            nint fourth = (nint)(Address(panel, words, lane + 3 * TLanes.Count) - p);
            TLanes a = default, b = default, c = default, d = default;
            for (nint offset = 0; offset < rowBytes; offset += WordSize, p += VectorPanel.GroupSize * WordSize)
            {
                TLanes r = TLanes.Broadcast(row + offset);
                a = TLanes.Accumulate(a, TLanes.Load(p), r);
                b = TLanes.Accumulate(b, TLanes.Load(p + second), r);
                c = TLanes.Accumulate(c, TLanes.Load(p + third), r);
                d = TLanes.Accumulate(d, TLanes.Load(p + fourth), r);
            }

            Store(result, lane, a, b);
            Store(result, lane + 2 * TLanes.Count, c, d);
        }

        for (; lane < candidates; lane += 2 * TLanes.Count)
        {
            byte* p = Address(panel, words, lane);
            nint next = (nint)(Address(panel, words, lane + TLanes.Count) - p);
            TLanes a = default, b = default;
            for (nint offset = 0; offset < rowBytes; offset += WordSize, p += VectorPanel.GroupSize * WordSize)
            {
                TLanes r = TLanes.Broadcast(row + offset);
                a = TLanes.Accumulate(a, TLanes.Load(p), r);
                b = TLanes.Accumulate(b, TLanes.Load(p + next), r);
            }

            Store(result, lane, a, b);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static byte* Address(byte* panel, int words, int lane) =>
        panel + (nint)(lane / VectorPanel.GroupSize) * words * VectorPanel.GroupSize * WordSize + lane % VectorPanel.GroupSize * WordSize;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Store(byte* result, int lane, TLanes first, TLanes second)
    {
        TLanes.Store(first, result + lane * WordSize);
        TLanes.Store(second, result + (lane + TLanes.Count) * WordSize);
    }
}
