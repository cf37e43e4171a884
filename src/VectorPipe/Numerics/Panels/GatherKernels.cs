using System.Runtime.CompilerServices;
using VectorPipe.Numerics.Distances;

namespace VectorPipe.Numerics.Panels;

/// <summary>Distances of one row to others anywhere: equal to <see cref="PanelKernels"/> for bytes, within its bound for floats.</summary>
internal static unsafe class GatherKernels
{
    // The hardware prefetcher fetches the rest of a longer row once its first lines are read in order.
    private const int MaxPrefetchBytes = 4 * CachePrefetch.LineBytes;

    /// <summary>Computes distances of a row to others, all requested from memory before the first is used.</summary>
    /// <param name="rows">All rows.</param>
    /// <param name="row">The row.</param>
    /// <param name="others">The other rows.</param>
    /// <param name="distances">Receives as many distances.</param>
    public static void Distances(in PanelRows rows, int row, ReadOnlySpan<int> others, Span<float> distances)
    {
        Prefetch(rows, others);
        fixed (float* results = distances)
        {
            switch (rows.Distance)
            {
                case PanelDistance.Float:
                    Floats(rows, row, others, results);
                    break;
                case PanelDistance.ByteChord:
                    Chords(rows, row, others, results);
                    break;
                default:
                    SquaredL2(rows, row, others, results);
                    if (rows.Distance == PanelDistance.ByteL2Extended)
                        AddExtraComponent(rows, row, others, results);
                    break;
            }
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Prefetch(in PanelRows rows, ReadOnlySpan<int> others)
    {
        if (!CachePrefetch.IsSupported)
            return;
        nint prefetched = Math.Min(rows.Stride, MaxPrefetchBytes);
        foreach (int other in others)
            CachePrefetch.Lines(rows.Row(other), prefetched);
    }

    private static void Floats(in PanelRows rows, int row, ReadOnlySpan<int> others, float* results)
    {
        var a = (float*)rows.Row(row);
        int done = 0;
        for (; done <= others.Length - 4; done += 4)
        {
            DistanceKernels.SquaredL2x4(
                a, (float*)rows.Row(others[done]), (float*)rows.Row(others[done + 1]), (float*)rows.Row(others[done + 2]),
                (float*)rows.Row(others[done + 3]), rows.Components, results + done);
        }

        for (; done < others.Length; done++)
            results[done] = DistanceKernels.SquaredL2(a, (float*)rows.Row(others[done]), rows.Components);
    }

    private static void SquaredL2(in PanelRows rows, int row, ReadOnlySpan<int> others, float* results)
    {
        int* integers = stackalloc int[4];
        var a = (sbyte*)rows.Row(row);
        int done = 0;
        for (; done <= others.Length - 4; done += 4)
        {
            DistanceKernels.SquaredL2x4(
                a, (sbyte*)rows.Row(others[done]), (sbyte*)rows.Row(others[done + 1]), (sbyte*)rows.Row(others[done + 2]),
                (sbyte*)rows.Row(others[done + 3]), rows.Components, integers);
            for (int i = 0; i < 4; i++)
                results[done + i] = integers[i];
        }

        for (; done < others.Length; done++)
            results[done] = DistanceKernels.SquaredL2(a, (sbyte*)rows.Row(others[done]), rows.Components);
    }

    private static void AddExtraComponent(in PanelRows rows, int row, ReadOnlySpan<int> others, float* results)
    {
        float extra = rows.Aux(row);
        for (int i = 0; i < others.Length; i++)
        {
            float difference = extra - rows.Aux(others[i]);
            results[i] += difference * difference;
        }
    }

    private static void Chords(in PanelRows rows, int row, ReadOnlySpan<int> others, float* results)
    {
        var a = (sbyte*)rows.Row(row);
        int offset = rows.PanelTerm(row) + rows.PairOffset;
        float squaredNorm = rows.Aux(row);
        for (int i = 0; i < others.Length; i++)
        {
            int other = others[i];
            int dot = DistanceKernels.Dot(a, (sbyte*)rows.Row(other), rows.Components);
            results[i] = PanelEpilogue.Chord(dot + offset + rows.PanelTerm(other), squaredNorm, rows.Aux(other));
        }
    }
}
