using System.Numerics;
using System.Runtime.CompilerServices;

namespace VectorPipe.Quantization;

/// <summary>The nearest of 256 centroids for many points of few dimensions. No state.</summary>
/// <remarks>
/// The nearest centroid c of a point x has the largest x·c - |c|²/2: one multiply-add a dimension. Centroids are stored by dimension (256
/// first components, 256 second ones, ...), so that a register holds one component of several centroids.
/// </remarks>
internal static unsafe class CentroidSearch
{
    /// <summary>Centroids of a chunk: one for each value of a byte.</summary>
    public const int Centroids = 256;

    /// <summary>Computes |c|²/2 of each centroid.</summary>
    /// <param name="centroids">dimension x 256 floats.</param>
    /// <param name="dimension">Components of a centroid.</param>
    /// <param name="halfNorms">Receives 256 floats.</param>
    public static void HalfNorms(float* centroids, int dimension, float* halfNorms)
    {
        for (int c = 0; c < Centroids; c++)
        {
            double sum = 0;
            for (int k = 0; k < dimension; k++)
                sum += (double)centroids[(k * Centroids) + c] * centroids[(k * Centroids) + c];
            halfNorms[c] = (float)(sum / 2);
        }
    }

    /// <summary>Finds the nearest centroid of each point; of equally near ones the lowest.</summary>
    /// <param name="points">count x dimension floats.</param>
    /// <param name="count">Points.</param>
    /// <param name="dimension">Components of a point; 1 or more.</param>
    /// <param name="centroids">dimension x 256 floats.</param>
    /// <param name="halfNorms">256 floats, see <see cref="HalfNorms"/>.</param>
    /// <param name="codes">Receives the centroid of the first point.</param>
    /// <param name="codeStride">Bytes from one code to the next.</param>
    public static void Nearest(float* points, int count, int dimension, float* centroids, float* halfNorms, byte* codes, nint codeStride)
    {
        delegate*<float*, int, nint, float*, float*, byte*, nint, void> nearestOfFour =
            CentroidSearch512.IsSupported ? &CentroidSearch512.NearestOfFour : &NearestOfFour;
        int i = 0;
        for (; i <= count - 4; i += 4, points += 4 * (nint)dimension, codes += 4 * codeStride)
            nearestOfFour(points, dimension, dimension, centroids, halfNorms, codes, codeStride);

        // Pass each leftover point four times to the same kernel: an argmin must not depend on the batch.
        for (; i < count; i++, points += dimension, codes += codeStride)
            nearestOfFour(points, dimension, 0, centroids, halfNorms, codes, 0);
    }

    /// <summary>Searches for four points on every processor; see <see cref="CentroidSearch512.NearestOfFour"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)] // The hot loop of training and encoding.
    internal static void NearestOfFour(
        float* points, int dimension, nint pointStride, float* centroids, float* halfNorms, byte* codes, nint codeStride)
    {
        float* p1 = points + pointStride, p2 = p1 + pointStride, p3 = p2 + pointStride;
        Vector<float> lowest = Vector.Create(float.NegativeInfinity);
        Vector<float> best0 = lowest, best1 = lowest, best2 = lowest, best3 = lowest;
        Vector<int> at0 = default, at1 = default, at2 = default, at3 = default;
        Vector<int> block = default;
        for (int c = 0; c < Centroids; c += Vector<float>.Count)
        {
            Vector<float> s0 = -Vector.Load(halfNorms + c), s1 = s0, s2 = s0, s3 = s0;
            float* component = centroids + c;
            for (int k = 0; k < dimension; k++, component += Centroids)
            {
                Vector<float> value = Vector.Load(component);
                s0 = Vector.MultiplyAddEstimate(Vector.Create(points[k]), value, s0);
                s1 = Vector.MultiplyAddEstimate(Vector.Create(p1[k]), value, s1);
                s2 = Vector.MultiplyAddEstimate(Vector.Create(p2[k]), value, s2);
                s3 = Vector.MultiplyAddEstimate(Vector.Create(p3[k]), value, s3);
            }

            Keep(s0, block, ref best0, ref at0);
            Keep(s1, block, ref best1, ref at1);
            Keep(s2, block, ref best2, ref at2);
            Keep(s3, block, ref best3, ref at3);
            block += Vector<int>.One;
        }

        codes[0] = Lowest(best0, at0);
        codes[codeStride] = Lowest(best1, at1);
        codes[2 * codeStride] = Lowest(best2, at2);
        codes[3 * codeStride] = Lowest(best3, at3);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Keep(Vector<float> score, Vector<int> block, ref Vector<float> best, ref Vector<int> at)
    {
        Vector<int> better = Vector.GreaterThan(score, best);
        best = Vector.ConditionalSelect(better, score, best);
        at = Vector.ConditionalSelect(better, block, at);
    }

    private static byte Lowest(Vector<float> best, Vector<int> at)
    {
        float score = best[0];
        int centroid = at[0] * Vector<float>.Count;
        for (int lane = 1; lane < Vector<float>.Count; lane++)
        {
            int candidate = (at[lane] * Vector<float>.Count) + lane;
            if (best[lane] > score || (best[lane] == score && candidate < centroid))
            {
                score = best[lane];
                centroid = candidate;
            }
        }

        return (byte)centroid;
    }
}
