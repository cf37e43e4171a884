using VectorPipe.Numerics;
using VectorPipe.Numerics.Distances;

namespace VectorPipe.Reference.Vamana;

/// <summary>One row against a batch of rows: the one place where a build calls the distance kernels.</summary>
internal static unsafe class RowKernels
{
    // Two lines are a 128-byte row. Of a longer row the hardware prefetcher fetches the rest once its first lines are read in order.
    private const int MaxPrefetchBytes = 4 * CachePrefetch.LineBytes;

    /// <summary>A kernel over one pair of rows, chosen at compile time.</summary>
    internal interface IKernel
    {
        /// <summary>The kernel's number for two rows.</summary>
        static abstract float Pair(byte* a, byte* b, int components);

        /// <summary>The kernel's numbers for one row and each of four others.</summary>
        static abstract void Four(byte* a, byte* b0, byte* b1, byte* b2, byte* b3, int components, float* results);
    }

    /// <summary>Applies a kernel to one row and each of a batch.</summary>
    /// <remarks>Rows of a batch lie anywhere in memory; all are prefetched first, so that their cache misses overlap.</remarks>
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

    /// <summary>Squared L2 of float32 rows.</summary>
    internal readonly struct FloatSquaredL2 : IKernel
    {
        /// <inheritdoc/>
        public static float Pair(byte* a, byte* b, int components) => DistanceKernels.SquaredL2((float*)a, (float*)b, components);

        /// <inheritdoc/>
        public static void Four(byte* a, byte* b0, byte* b1, byte* b2, byte* b3, int components, float* results) =>
            DistanceKernels.SquaredL2x4((float*)a, (float*)b0, (float*)b1, (float*)b2, (float*)b3, components, results);
    }

    /// <summary>Squared L2 of uint8 rows.</summary>
    internal readonly struct UInt8SquaredL2 : IKernel
    {
        /// <inheritdoc/>
        public static float Pair(byte* a, byte* b, int components) => DistanceKernels.SquaredL2(a, b, components);

        /// <inheritdoc/>
        public static void Four(byte* a, byte* b0, byte* b1, byte* b2, byte* b3, int components, float* results)
        {
            int* integers = stackalloc int[4];
            DistanceKernels.SquaredL2x4(a, b0, b1, b2, b3, components, integers);
            Widen(integers, results);
        }
    }

    /// <summary>Dot product of uint8 rows.</summary>
    internal readonly struct UInt8Dot : IKernel
    {
        /// <inheritdoc/>
        public static float Pair(byte* a, byte* b, int components) => DistanceKernels.Dot(a, b, components);

        /// <inheritdoc/>
        public static void Four(byte* a, byte* b0, byte* b1, byte* b2, byte* b3, int components, float* results)
        {
            int* integers = stackalloc int[4];
            DistanceKernels.Dotx4(a, b0, b1, b2, b3, components, integers);
            Widen(integers, results);
        }
    }

    /// <summary>Squared L2 of int8 rows.</summary>
    internal readonly struct Int8SquaredL2 : IKernel
    {
        /// <inheritdoc/>
        public static float Pair(byte* a, byte* b, int components) => DistanceKernels.SquaredL2((sbyte*)a, (sbyte*)b, components);

        /// <inheritdoc/>
        public static void Four(byte* a, byte* b0, byte* b1, byte* b2, byte* b3, int components, float* results)
        {
            int* integers = stackalloc int[4];
            DistanceKernels.SquaredL2x4((sbyte*)a, (sbyte*)b0, (sbyte*)b1, (sbyte*)b2, (sbyte*)b3, components, integers);
            Widen(integers, results);
        }
    }

    /// <summary>Dot product of int8 rows.</summary>
    internal readonly struct Int8Dot : IKernel
    {
        /// <inheritdoc/>
        public static float Pair(byte* a, byte* b, int components) => DistanceKernels.Dot((sbyte*)a, (sbyte*)b, components);

        /// <inheritdoc/>
        public static void Four(byte* a, byte* b0, byte* b1, byte* b2, byte* b3, int components, float* results)
        {
            int* integers = stackalloc int[4];
            DistanceKernels.Dotx4((sbyte*)a, (sbyte*)b0, (sbyte*)b1, (sbyte*)b2, (sbyte*)b3, components, integers);
            Widen(integers, results);
        }
    }
}
