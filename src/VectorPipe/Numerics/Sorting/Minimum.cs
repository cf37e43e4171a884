using System.Numerics;
using System.Runtime.CompilerServices;

namespace VectorPipe.Numerics.Sorting;

/// <summary>Finds the least of several distances.</summary>
internal static unsafe class Minimum
{
    /// <summary>Returns the index of the least distance, of equal ones the first.</summary>
    /// <param name="distances">Numbers that are not NaN.</param>
    /// <param name="count">The number of distances; at least 1.</param>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static int IndexOf(float* distances, int count)
    {
        float least = float.PositiveInfinity;
        int i = 0;
        if (count >= Vector<float>.Count)
        {
            var leasts = new Vector<float>(float.PositiveInfinity);
            for (; i <= count - Vector<float>.Count; i += Vector<float>.Count)
                leasts = Vector.Min(leasts, Vector.Load(distances + i));
            for (int lane = 0; lane < Vector<float>.Count; lane++)
                least = Math.Min(least, leasts[lane]);
        }

        for (; i < count; i++)
            least = Math.Min(least, distances[i]);
        return Math.Max(0, new ReadOnlySpan<float>(distances, count).IndexOf(least));
    }
}
