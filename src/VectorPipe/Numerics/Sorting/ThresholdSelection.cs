using System.Numerics;
using System.Runtime.CompilerServices;

namespace VectorPipe.Numerics.Sorting;

/// <summary>Finds a bound for about the k least of a set of distances, by bisection: vectors count, but do not sort.</summary>
/// <remarks>The result depends only on the distances, so it is the same on every processor.</remarks>
internal static unsafe class ThresholdSelection
{
    /// <summary>Returns a bound that <paramref name="least"/> to <paramref name="most"/> distances do not exceed.</summary>
    /// <param name="distances">Non-negative numbers or infinity.</param>
    /// <param name="count">The number of distances; more than <paramref name="most"/>.</param>
    /// <param name="least">At least 1.</param>
    /// <param name="most">At least <paramref name="least"/>.</param>
    /// <returns>The inclusive bound. Ties may put more than <paramref name="most"/> distances within it.</returns>
    public static float Bound(float* distances, int count, int least, int most)
    {
        // Non-negative floats order as their bits, so bisection over bits ends within 31 steps at any scale.
        (uint low, uint high) = Range(distances, count);
        low = low == 0 ? 0 : low - 1;
        if (CountWithin(distances, count, BitConverter.UInt32BitsToSingle(low)) >= least)
            return BitConverter.UInt32BitsToSingle(low);
        while (high - low > 1)
        {
            // Try the middle value, which suits evenly spread distances; take the middle of the bits if it makes no progress.
            float middleValue = BitConverter.UInt32BitsToSingle(low) * 0.5f + BitConverter.UInt32BitsToSingle(high) * 0.5f;
            uint middle = BitConverter.SingleToUInt32Bits(middleValue);
            if (middle <= low || middle >= high)
                middle = low + (high - low) / 2;
            int within = CountWithin(distances, count, BitConverter.UInt32BitsToSingle(middle));
            if (within < least)
                low = middle;
            else if (within <= most)
                return BitConverter.UInt32BitsToSingle(middle);
            else
                high = middle;
        }

        return BitConverter.UInt32BitsToSingle(high);
    }

    /// <summary>Counts the distances that do not exceed a bound.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static int CountWithin(float* distances, int count, float bound)
    {
        var bounds = new Vector<float>(bound);
        Vector<int> counts = default;
        int i = 0;
        for (; i <= count - Vector<float>.Count; i += Vector<float>.Count)
            counts -= Vector.LessThanOrEqual(Vector.Load(distances + i), bounds);
        int within = Vector.Sum(counts);
        for (; i < count; i++)
            within += distances[i] <= bound ? 1 : 0;
        return within;
    }

    private static (uint Low, uint High) Range(float* distances, int count)
    {
        float low = float.PositiveInfinity, high = 0;
        int i = 0;
        if (count >= Vector<float>.Count)
        {
            var lows = new Vector<float>(float.PositiveInfinity);
            Vector<float> highs = default;
            for (; i <= count - Vector<float>.Count; i += Vector<float>.Count)
            {
                Vector<float> x = Vector.Load(distances + i);
                lows = Vector.Min(lows, x);
                highs = Vector.Max(highs, x);
            }

            for (int lane = 0; lane < Vector<float>.Count; lane++)
            {
                low = Math.Min(low, lows[lane]);
                high = Math.Max(high, highs[lane]);
            }
        }

        for (; i < count; i++)
        {
            low = Math.Min(low, distances[i]);
            high = Math.Max(high, distances[i]);
        }

        return (BitConverter.SingleToUInt32Bits(low), BitConverter.SingleToUInt32Bits(high));
    }
}
