using System.Numerics;

namespace VectorPipe.Server.Sets;

/// <summary>Makes vectors shorter: each component of the result is a sum of all, with signs of a Hadamard matrix.</summary>
internal static class Projection
{
    public static float[] Apply(ReadOnlySpan<float> vector, int dimension)
    {
        float scale = 1 / MathF.Sqrt(vector.Length);
        var result = new float[dimension];
        for (int row = 0; row < dimension; row++)
        {
            float sum = 0;
            for (int column = 0; column < vector.Length; column++)
                sum += (BitOperations.PopCount((uint)(row & column)) & 1) == 0 ? vector[column] : -vector[column];
            result[row] = sum * scale;
        }

        return result;
    }
}
