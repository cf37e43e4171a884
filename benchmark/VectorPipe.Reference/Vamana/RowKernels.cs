using VectorPipe.Numerics;
using VectorPipe.Numerics.Distances;

namespace VectorPipe.Reference.Vamana;

/// <summary>Applies distance kernels to a row and a batch of rows.</summary>
internal static unsafe class RowKernels
{
    // The hardware prefetcher fetches the rest of a long row after its first lines.
    private const int MaxPrefetchBytes = 4 * CachePrefetch.LineBytes;

    internal interface IKernel
    {
        static abstract float Pair(byte* a, byte* b, int components);

        /// <summary>One row against four others.</summary>
        static abstract void Four(byte* a, byte* b0, byte* b1, byte* b2, byte* b3, int components, float* results);
    }

    /// <summary>Applies a kernel to a row and each row of a batch. Prefetches the batch, so that cache misses overlap.</summary>
    public static void Compute<TKernel>(PointRows rows, int point, ReadOnlySpan<int> others, Span<float> results)
        where TKernel : struct, IKernel
    {
        byte* first = rows.First;
        nint stride = rows.Stride;
        int components = rows.RowComponents;
        if (CachePrefetch.IsSupported)
        {
            nint prefetched = Math.Min(stride, MaxPrefetchBytes);
            foreach (int other in others)
                CachePrefetch.Lines(first + (other * stride), prefetched);
        }

        byte* a = first + point * stride;
        int done = 0;
        fixed (float* result = results)
        {
            for (; done <= others.Length - 4; done += 4)
            {
                byte* b0 = first + others[done] * stride;
                byte* b1 = first + others[done + 1] * stride;
                byte* b2 = first + others[done + 2] * stride;
                byte* b3 = first + others[done + 3] * stride;
                TKernel.Four(a, b0, b1, b2, b3, components, result + done);
            }
        }

        for (; done < others.Length; done++)
            results[done] = TKernel.Pair(a, first + others[done] * stride, components);
    }

    private static void Widen(int* integers, float* floats)
    {
        for (int i = 0; i < 4; i++)
            floats[i] = integers[i];
    }

    internal readonly struct FloatSquaredL2 : IKernel
    {
        public static float Pair(byte* a, byte* b, int components) => DistanceKernels.SquaredL2((float*)a, (float*)b, components);

        public static void Four(byte* a, byte* b0, byte* b1, byte* b2, byte* b3, int components, float* results) =>
            DistanceKernels.SquaredL2x4((float*)a, (float*)b0, (float*)b1, (float*)b2, (float*)b3, components, results);
    }

    internal readonly struct UInt8SquaredL2 : IKernel
    {
        public static float Pair(byte* a, byte* b, int components) => DistanceKernels.SquaredL2(a, b, components);

        public static void Four(byte* a, byte* b0, byte* b1, byte* b2, byte* b3, int components, float* results)
        {
            int* integers = stackalloc int[4];
            DistanceKernels.SquaredL2x4(a, b0, b1, b2, b3, components, integers);
            Widen(integers, results);
        }
    }

    internal readonly struct UInt8Dot : IKernel
    {
        public static float Pair(byte* a, byte* b, int components) => DistanceKernels.Dot(a, b, components);

        public static void Four(byte* a, byte* b0, byte* b1, byte* b2, byte* b3, int components, float* results)
        {
            int* integers = stackalloc int[4];
            DistanceKernels.Dotx4(a, b0, b1, b2, b3, components, integers);
            Widen(integers, results);
        }
    }

    internal readonly struct Int8SquaredL2 : IKernel
    {
        public static float Pair(byte* a, byte* b, int components) => DistanceKernels.SquaredL2((sbyte*)a, (sbyte*)b, components);

        public static void Four(byte* a, byte* b0, byte* b1, byte* b2, byte* b3, int components, float* results)
        {
            int* integers = stackalloc int[4];
            DistanceKernels.SquaredL2x4((sbyte*)a, (sbyte*)b0, (sbyte*)b1, (sbyte*)b2, (sbyte*)b3, components, integers);
            Widen(integers, results);
        }
    }

    internal readonly struct Int8Dot : IKernel
    {
        public static float Pair(byte* a, byte* b, int components) => DistanceKernels.Dot((sbyte*)a, (sbyte*)b, components);

        public static void Four(byte* a, byte* b0, byte* b1, byte* b2, byte* b3, int components, float* results)
        {
            int* integers = stackalloc int[4];
            DistanceKernels.Dotx4((sbyte*)a, (sbyte*)b0, (sbyte*)b1, (sbyte*)b2, (sbyte*)b3, components, integers);
            Widen(integers, results);
        }
    }
}
