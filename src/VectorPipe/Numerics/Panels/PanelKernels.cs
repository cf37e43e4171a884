using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.Arm;
using System.Runtime.Intrinsics.X86;

namespace VectorPipe.Numerics.Panels;

/// <summary>Distances of many rows to a panel of candidates, by the best kernel of the processor.</summary>
/// <remarks>
/// Byte distances are equal on every processor. Float distances with and without fused multiply-add differ by at most (components + 2) x
/// 2^-23 of the distance. On one machine a distance depends only on its pair.
/// </remarks>
internal static unsafe class PanelKernels
{
    private const int TileRows = 6;

    // Fewer rows are cheaper one by one than as a tile padded with copies.
    private const int MinTileRows = 3;

    private static readonly Kernels _floats =
        FloatPanelLanes512.IsSupported ? Kernels.Of<FloatPanelLanes512>() : Kernels.Of<FloatPanelLanes>();

    private static readonly Kernels _bytes = Bytes();

    /// <summary>Distances of rows to all candidates of a panel.</summary>
    /// <param name="rows">All rows, of the same kind as those of the panel.</param>
    /// <param name="ids">The rows to compare.</param>
    /// <param name="panel">The candidates.</param>
    /// <param name="results">Receives a row of results for each id; entries after the last candidate are infinite.</param>
    /// <param name="stride">Entries from one row of results to the next, at least <see cref="VectorPanel.Lanes"/> of the count.</param>
    public static void Distances(in PanelRows rows, ReadOnlySpan<int> ids, VectorPanel panel, float* results, int stride)
    {
        byte** sources = stackalloc byte*[TileRows];
        byte** targets = stackalloc byte*[TileRows];
        int done = 0;
        for (; ids.Length - done >= MinTileRows; done += TileRows)
        {
            // Pad the tile with copies of the last row, which write to the same place.
            for (int i = 0; i < TileRows; i++)
            {
                int index = Math.Min(done + i, ids.Length - 1);
                sources[i] = rows.Row(ids[index]);
                targets[i] = (byte*)(results + (nint)index * stride);
            }

            SixRows(rows.Distance, sources, panel, targets);
            if (ids.Length - done <= TileRows)
            {
                done = ids.Length;
                break;
            }
        }

        for (; done < ids.Length; done++)
            OneRow(rows.Distance, rows.Row(ids[done]), panel, 0, (byte*)(results + (nint)done * stride));
        for (int i = 0; i < ids.Length; i++)
            PanelEpilogue.Apply(rows, ids[i], panel, 0, results + (nint)i * stride);
    }

    /// <summary>Distances of one row to the candidates of a panel from one on.</summary>
    /// <param name="rows">All rows, of the same kind as those of the panel.</param>
    /// <param name="row">The row to compare.</param>
    /// <param name="panel">The candidates.</param>
    /// <param name="from">First candidate; rounded down to a multiple of two groups.</param>
    /// <param name="results">Receives the distance of candidate i at entry i; entries after the last candidate are infinite.</param>
    public static void Distances(in PanelRows rows, int row, VectorPanel panel, int from, float* results)
    {
        from &= -(2 * VectorPanel.GroupSize);
        OneRow(rows.Distance, rows.Row(row), panel, from, (byte*)results);
        PanelEpilogue.Apply(rows, row, panel, from, results);
    }

    private static void SixRows(PanelDistance distance, byte** rows, VectorPanel panel, byte** results) =>
        (distance == PanelDistance.Float ? _floats : _bytes).SixRows(rows, panel.First, panel.Words, panel.Count, results);

    private static void OneRow(PanelDistance distance, byte* row, VectorPanel panel, int from, byte* results) =>
        (distance == PanelDistance.Float ? _floats : _bytes).OneRow(row, panel.First, panel.Words, from, panel.Count, results);

    private static Kernels Bytes()
    {
        if (AvxVnni.IsSupported)
            return Kernels.Of<BytePanelLanesVnni>();
        if (Avx512BW.IsSupported && Vector512.IsHardwareAccelerated)
            return Kernels.Of<BytePanelLanes512>();
        if (Avx2.IsSupported)
            return Kernels.Of<BytePanelLanes256>();
        if (Dp.IsSupported)
            return Kernels.Of<BytePanelLanesDot>();
        return Vector128.IsHardwareAccelerated ? Kernels.Of<BytePanelLanes128>() : Kernels.Of<ScalarBytePanelLanes>();
    }

    private readonly struct Kernels
    {
        public required delegate*<byte**, byte*, int, int, byte**, void> SixRows { get; init; }

        public required delegate*<byte*, byte*, int, int, int, byte*, void> OneRow { get; init; }

        public static Kernels Of<TLanes>()
            where TLanes : struct, IPanelLanes<TLanes> =>
            new() { SixRows = &PanelKernel<TLanes>.SixRows, OneRow = &PanelKernel<TLanes>.OneRow };
    }
}
