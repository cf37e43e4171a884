using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using VectorPipe.Numerics.Sorting;

namespace VectorPipe.Building.Partitioned;

/// <summary>Keeps the nearest K of a stream of candidates for each of some rows, in no order.</summary>
/// <remarks>
/// A row accepts candidates below its bound. When it is full, the bound is lowered so that K to 1.25 K are left; of ties at the bound the
/// first arrivals stay. The result depends on the stream alone. Not thread-safe. Freed by <see cref="Dispose"/>.
/// </remarks>
internal sealed unsafe class Reservoirs : IDisposable
{
    private const int LanesOfMask = 8;

    private readonly int _least;
    private readonly int _capacity;
    private readonly float* _distances;
    private readonly int* _positions;
    private readonly int[] _counts;
    private readonly float[] _bounds;

    public Reservoirs(int rows, int nearest)
    {
        _least = nearest;
        _capacity = Math.Max(nearest * 3, nearest + 64) / LanesOfMask * LanesOfMask;
        _distances = (float*)NativeMemory.AlignedAlloc((nuint)rows * (nuint)_capacity * sizeof(float), 64);
        _positions = (int*)NativeMemory.AlignedAlloc((nuint)rows * (nuint)_capacity * sizeof(int), 64);
        _counts = new int[rows];
        _bounds = new float[rows];
    }

    public void Clear(int rows)
    {
        Array.Clear(_counts, 0, rows);
        Array.Fill(_bounds, float.PositiveInfinity, 0, rows);
    }

    /// <summary>Offers candidates to a row.</summary>
    /// <param name="row">Which row.</param>
    /// <param name="self">Position that is not kept.</param>
    /// <param name="distances">Distances; entries behind the last up to a multiple of 8 are infinite.</param>
    /// <param name="positions">Positions of the candidates.</param>
    public void Offer(int row, int self, float* distances, ReadOnlySpan<int> positions)
    {
        fixed (int* ids = positions)
            Offer(row, self, distances, ids, positions.Length);
    }

    /// <summary>Lowers a row to K candidates, or a few more where distances tie in their last bits.</summary>
    public void Finish(int row, out ReadOnlySpan<float> distances, out ReadOnlySpan<int> positions)
    {
        if (_counts[row] > _least + 4)
            Shrink(row, _least + 4);
        distances = new ReadOnlySpan<float>(_distances + (nint)row * _capacity, _counts[row]);
        positions = new ReadOnlySpan<int>(_positions + (nint)row * _capacity, _counts[row]);
    }

    public void Dispose()
    {
        NativeMemory.AlignedFree(_distances);
        NativeMemory.AlignedFree(_positions);
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private void Offer(int row, int self, float* distances, int* positions, int count)
    {
        float* ownDistances = _distances + (nint)row * _capacity;
        int* ownPositions = _positions + (nint)row * _capacity;
        int size = _counts[row];
        float bound = _bounds[row];
        for (int i = 0; i < count; i += LanesOfMask)
        {
            uint mask = MaskBelow(distances + i, bound);
            if (mask == 0)
                continue;
            if (size > _capacity - LanesOfMask)
            {
                _counts[row] = size;
                Shrink(row, _least + _least / 4);
                size = _counts[row];
                bound = _bounds[row];
                mask = MaskBelow(distances + i, bound);
            }

            for (; mask != 0; mask &= mask - 1)
            {
                int index = i + BitOperations.TrailingZeroCount(mask);
                ownDistances[size] = distances[index];
                ownPositions[size] = positions[index];
                size += positions[index] == self ? 0 : 1;
            }
        }

        _counts[row] = size;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static uint MaskBelow(float* distances, float bound)
    {
        if (Vector128.IsHardwareAccelerated)
            return Vector256.LessThan(Vector256.Load(distances), Vector256.Create(bound)).ExtractMostSignificantBits();
        uint mask = 0;
        for (int i = 0; i < LanesOfMask; i++)
            mask |= distances[i] < bound ? 1u << i : 0;
        return mask;
    }

    private void Shrink(int row, int most)
    {
        float* distances = _distances + (nint)row * _capacity;
        int* positions = _positions + (nint)row * _capacity;
        int count = _counts[row];
        float bound = ThresholdSelection.Bound(distances, count, _least, most);
        int within = ThresholdSelection.CountWithin(distances, count, bound);
        // Too many tie at the bound: keep those below it, and as many ties as there is room for.
        int ties = within <= most ? int.MaxValue : _least - ThresholdSelection.CountWithin(distances, count, BitDecrement(bound));
        int size = 0;
        for (int i = 0; i < count; i++)
        {
            float distance = distances[i];
            if (distance > bound || (distance == bound && ties-- <= 0))
                continue;
            distances[size] = distance;
            positions[size++] = positions[i];
        }

        _counts[row] = size;
        _bounds[row] = bound;
    }

    private static float BitDecrement(float bound) => bound == 0 ? -1 : MathF.BitDecrement(bound);
}
