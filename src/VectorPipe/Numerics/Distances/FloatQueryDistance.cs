using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using VectorPipe.Numerics.Conversion;

namespace VectorPipe.Numerics.Distances;

/// <summary>Distances to stored rows of float or <see cref="Half"/>; the query is stored as floats.</summary>
internal sealed unsafe class FloatQueryDistance<TRow> : QueryDistance
    where TRow : unmanaged, INumberBase<TRow>
{
    // Aligned to the largest register, so that no load of the query crosses a cache line.
    private const int Alignment = 64;

    private readonly DistanceMetric _metric;
    private readonly float[] _memory;
    private readonly float* _query;
    private readonly VectorElementType _queryType;
    private float _queryNorm;

    /// <param name="metric">The metric.</param>
    /// <param name="dimension">Components; 1 or more.</param>
    /// <param name="queryType">Type of a query's component: float32 or float16.</param>
    public FloatQueryDistance(DistanceMetric metric, int dimension, VectorElementType queryType)
    {
        _queryType = queryType;
        _metric = metric;
        Dimension = dimension;
        _memory = GC.AllocateArray<float>(dimension + (Alignment / sizeof(float)), pinned: true);
        nint address = Marshal.UnsafeAddrOfPinnedArrayElement(_memory, 0);
        _query = (float*)((address + Alignment - 1) & -Alignment);
    }

    public override int Dimension { get; }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public override void SetQuery(ReadOnlySpan<byte> query)
    {
        CheckQueryLength(query, Dimension * _queryType.SizeInBytes());
        VectorConversion.ToFloat(_queryType, query, new Span<float>(_query, Dimension));
        _queryNorm = MathF.Sqrt(DistanceKernels.Dot(_query, _query, Dimension));
        GC.KeepAlive(this); // The kernels hold a bare pointer into this object's pinned memory.
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public override void ComputeStrided(byte* first, nint strideBytes, int count, Span<float> distances)
    {
        distances = distances[..count];
        switch (_metric)
        {
            case DistanceMetric.L2:
                Sums<SquaredDifferenceTerm>(first, strideBytes, distances);
                break;
            case DistanceMetric.InnerProduct:
                Sums<ProductTerm>(first, strideBytes, distances);
                for (int i = 0; i < distances.Length; i++)
                    distances[i] = 0f - distances[i];
                break;
            default:
                Cosines(first, strideBytes, distances);
                break;
        }

        GC.KeepAlive(this); // The kernels hold a bare pointer into this object's pinned memory.
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private void Sums<TTerm>(byte* first, nint stride, Span<float> distances)
        where TTerm : struct, ITerm
    {
        fixed (float* result = distances)
        {
            int i = 0;
            for (; i <= distances.Length - 4; i += 4, first += 4 * stride)
            {
                DistanceKernels.FloatFour<TRow, TTerm>(
                    _query, (TRow*)first, (TRow*)(first + stride), (TRow*)(first + (2 * stride)), (TRow*)(first + (3 * stride)), Dimension,
                    result + i);
            }

            for (; i < distances.Length; i++, first += stride)
                result[i] = DistanceKernels.FloatOne<TRow, TTerm>(_query, (TRow*)first, Dimension);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private void Cosines(byte* first, nint stride, Span<float> distances)
    {
        for (int i = 0; i < distances.Length; i++, first += stride)
        {
            float dot = DistanceKernels.FloatDotAndSquaredNorm(_query, (TRow*)first, Dimension, out float squaredNorm);
            distances[i] = squaredNorm == 0 ? 1f : 1f - (dot / (_queryNorm * MathF.Sqrt(squaredNorm)));
        }
    }
}
