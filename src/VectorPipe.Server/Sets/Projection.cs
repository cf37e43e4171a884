using System.Numerics;

namespace VectorPipe.Server.Sets;

/// <summary>Makes vectors shorter: each component of the result is a sum of all, with signs of a Hadamard matrix.</summary>
internal static class Projection
{
    /// <summary>The first components of the fast Walsh-Hadamard transform: n log n additions, however many are wanted.</summary>
    public static float[] Apply(ReadOnlySpan<float> vector, int dimension)
    {
        var sums = new float[BitOperations.RoundUpToPowerOf2((uint)vector.Length)];
        vector.CopyTo(sums);
        for (int half = 1; half < sums.Length; half *= 2)
        {
            for (int block = 0; block < sums.Length; block += 2 * half)
            {
                for (int i = block; i < block + half; i++)
                    (sums[i], sums[i + half]) = (sums[i] + sums[i + half], sums[i] - sums[i + half]);
            }
        }

        float scale = 1 / MathF.Sqrt(vector.Length);
        float[] result = sums[..dimension];
        for (int i = 0; i < dimension; i++)
            result[i] *= scale;
        return result;
    }
}
