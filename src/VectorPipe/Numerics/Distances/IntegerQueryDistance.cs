using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace VectorPipe.Numerics.Distances;

/// <summary>Distances to stored rows of byte or sbyte: sums are exact integers, converted to float once.</summary>
internal sealed unsafe class IntegerQueryDistance<T> : QueryDistance
    where T : unmanaged, INumberBase<T>
{
    private readonly DistanceMetric _metric;
    private readonly T[] _memory;
    private readonly T* _query;
    private double _queryNorm;

    /// <param name="metric">The metric.</param>
    /// <param name="dimension">Components; 1 or more.</param>
    public IntegerQueryDistance(DistanceMetric metric, int dimension)
    {
        _metric = metric;
        Dimension = dimension;
        _memory = GC.AllocateArray<T>(dimension, pinned: true);
        _query = (T*)Marshal.UnsafeAddrOfPinnedArrayElement(_memory, 0);
    }

    public override int Dimension { get; }

    public override void SetQuery(ReadOnlySpan<byte> query)
    {
        CheckQueryLength(query, Dimension);
        MemoryMarshal.Cast<byte, T>(query).CopyTo(_memory);
        _queryNorm = Math.Sqrt(DistanceKernels.IntegerOne<T, ProductTerm>(_query, _query, Dimension));
        GC.KeepAlive(this); // The kernels hold a bare pointer into this object's pinned memory.
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public override void ComputeStrided(byte* first, nint strideBytes, int count, Span<float> distances)
    {
        distances = distances[..count];
        switch (_metric)
        {
            case DistanceMetric.L2:
                Sums<SquaredDifferenceTerm>(first, strideBytes, distances, sign: 1);
                break;
            case DistanceMetric.InnerProduct:
                Sums<ProductTerm>(first, strideBytes, distances, sign: -1);
                break;
            default:
                Cosines(first, strideBytes, distances);
                break;
        }

        GC.KeepAlive(this); // The kernels hold a bare pointer into this object's pinned memory.
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private void Sums<TTerm>(byte* first, nint stride, Span<float> distances, int sign)
        where TTerm : struct, ITerm
    {
        int* four = stackalloc int[4];
        int i = 0;
        for (; i <= distances.Length - 4; i += 4, first += 4 * stride)
        {
            DistanceKernels.IntegerFour<T, TTerm>(
                _query, (T*)first, (T*)(first + stride), (T*)(first + (2 * stride)), (T*)(first + (3 * stride)), Dimension, four);
            for (int r = 0; r < 4; r++)
                distances[i + r] = sign * four[r];
        }

        for (; i < distances.Length; i++, first += stride)
            distances[i] = sign * DistanceKernels.IntegerOne<T, TTerm>(_query, (T*)first, Dimension);
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private void Cosines(byte* first, nint stride, Span<float> distances)
    {
        for (int i = 0; i < distances.Length; i++, first += stride)
        {
            int dot = DistanceKernels.IntegerDotAndSquaredNorm(_query, (T*)first, Dimension, out int squaredNorm);
            distances[i] = squaredNorm == 0 ? 1f : (float)(1 - (dot / (_queryNorm * Math.Sqrt(squaredNorm))));
        }
    }
}
