using System.Runtime.Intrinsics.X86;
using VectorPipe.Numerics;

namespace VectorPipe.Building;

/// <summary>One row against a batch of rows: the one place where a build calls the distance kernels.</summary>
internal static unsafe class RowKernels
{
    private const int CacheLine = 64;

    // Two lines are a 128-byte row. Of a longer row the hardware prefetcher fetches the rest once its first lines are read in order.
    private const int MaxPrefetchBytes = 4 * CacheLine;

    /// <summary>A kernel over one pair of rows, chosen at compile time.</summary>
    internal interface IKernel
    {
        /// <summary>The kernel's number for two rows.</summary>
        static abstract float Pair(byte* a, byte* b, int components);
    }

    /// <summary>Applies a kernel to one row and each of a batch.</summary>
    /// <remarks>Rows of a batch lie anywhere in memory; all are prefetched first, so that their cache misses overlap.</remarks>
    public static void Compute<TKernel>(PointRows rows, int point, ReadOnlySpan<int> others, Span<float> results)
        where TKernel : struct, IKernel
    {
        byte* first = rows.First;
        nint stride = rows.Stride;
        int components = rows.RowComponents;
        if (Sse.IsSupported)
        {
            nint prefetched = Math.Min(stride, MaxPrefetchBytes);
            foreach (int other in others)
            {
                byte* row = first + other * stride;
                for (nint offset = 0; offset < prefetched; offset += CacheLine)
                    Sse.Prefetch0(row + offset);
            }
        }

        byte* a = first + point * stride;
        for (int i = 0; i < others.Length; i++)
            results[i] = TKernel.Pair(a, first + others[i] * stride, components);
    }

    /// <summary>Squared L2 of float32 rows.</summary>
    internal readonly struct FloatSquaredL2 : IKernel
    {
        /// <inheritdoc/>
        public static float Pair(byte* a, byte* b, int components) => DistanceKernels.SquaredL2((float*)a, (float*)b, components);
    }

    /// <summary>Squared L2 of uint8 rows.</summary>
    internal readonly struct UInt8SquaredL2 : IKernel
    {
        /// <inheritdoc/>
        public static float Pair(byte* a, byte* b, int components) => DistanceKernels.SquaredL2(a, b, components);
    }

    /// <summary>Dot product of uint8 rows.</summary>
    internal readonly struct UInt8Dot : IKernel
    {
        /// <inheritdoc/>
        public static float Pair(byte* a, byte* b, int components) => DistanceKernels.Dot(a, b, components);
    }

    /// <summary>Squared L2 of int8 rows.</summary>
    internal readonly struct Int8SquaredL2 : IKernel
    {
        /// <inheritdoc/>
        public static float Pair(byte* a, byte* b, int components) => DistanceKernels.SquaredL2((sbyte*)a, (sbyte*)b, components);
    }

    /// <summary>Dot product of int8 rows.</summary>
    internal readonly struct Int8Dot : IKernel
    {
        /// <inheritdoc/>
        public static float Pair(byte* a, byte* b, int components) => DistanceKernels.Dot((sbyte*)a, (sbyte*)b, components);
    }
}
