using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace VectorPipe.Quantization;

/// <summary>Finds the nearest centroids in 512-bit registers, wider than <see cref="System.Numerics.Vector{T}"/>. No state.</summary>
internal static unsafe class CentroidSearch512
{
    private const int Centroids = CentroidSearch.Centroids;

    public static bool IsSupported => Vector512.IsHardwareAccelerated;

    /// <summary>Finds the nearest centroid of each of four points; of equally near ones the lowest.</summary>
    /// <param name="points">The first point.</param>
    /// <param name="dimension">Components of a point.</param>
    /// <param name="pointStride">Floats from one point to the next.</param>
    /// <param name="centroids">dimension x 256 floats.</param>
    /// <param name="halfNorms">256 floats.</param>
    /// <param name="codes">Receives the centroid of the first point.</param>
    /// <param name="codeStride">Bytes from one point's code to the next.</param>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)] // The hot loop of training and encoding.
    public static void NearestOfFour(
        float* points, int dimension, nint pointStride, float* centroids, float* halfNorms, byte* codes, nint codeStride)
    {
        float* p1 = points + pointStride, p2 = p1 + pointStride, p3 = p2 + pointStride;
        Vector512<float> lowest = Vector512.Create(float.NegativeInfinity);
        Vector512<float> best0 = lowest, best1 = lowest, best2 = lowest, best3 = lowest;
        Vector512<int> at0 = default, at1 = default, at2 = default, at3 = default;
        Vector512<int> at = Vector512<int>.Indices;
        for (int c = 0; c < Centroids; c += Vector512<float>.Count)
        {
            Vector512<float> s0 = -Vector512.Load(halfNorms + c), s1 = s0, s2 = s0, s3 = s0;
            float* component = centroids + c;
            for (int k = 0; k < dimension; k++, component += Centroids)
            {
                Vector512<float> value = Vector512.Load(component);
                s0 = Vector512.MultiplyAddEstimate(Vector512.Create(points[k]), value, s0);
                s1 = Vector512.MultiplyAddEstimate(Vector512.Create(p1[k]), value, s1);
                s2 = Vector512.MultiplyAddEstimate(Vector512.Create(p2[k]), value, s2);
                s3 = Vector512.MultiplyAddEstimate(Vector512.Create(p3[k]), value, s3);
            }

            Keep(s0, at, ref best0, ref at0);
            Keep(s1, at, ref best1, ref at1);
            Keep(s2, at, ref best2, ref at2);
            Keep(s3, at, ref best3, ref at3);
            at += Vector512.Create(Vector512<int>.Count);
        }

        codes[0] = Lowest(best0, at0);
        codes[codeStride] = Lowest(best1, at1);
        codes[2 * codeStride] = Lowest(best2, at2);
        codes[3 * codeStride] = Lowest(best3, at3);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Keep(Vector512<float> score, Vector512<int> centroid, ref Vector512<float> best, ref Vector512<int> at)
    {
        Vector512<float> better = Vector512.GreaterThan(score, best);
        best = Vector512.ConditionalSelect(better, score, best);
        at = Vector512.ConditionalSelect(better.AsInt32(), centroid, at);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static byte Lowest(Vector512<float> best, Vector512<int> at)
    {
        Vector256<float> half = Vector256.Max(best.GetLower(), best.GetUpper());
        Vector128<float> quarter = Vector128.Max(half.GetLower(), half.GetUpper());
        quarter = Vector128.Max(quarter, Vector128.Shuffle(quarter, Vector128.Create(2, 3, 0, 1)));
        quarter = Vector128.Max(quarter, Vector128.Shuffle(quarter, Vector128.Create(1, 0, 3, 2)));
        Vector512<int> isBest = Vector512.Equals(best, Vector512.Create(quarter.ToScalar())).AsInt32();
        Vector512<int> candidates = Vector512.ConditionalSelect(isBest, at, Vector512.Create(int.MaxValue));
        Vector256<int> fewer = Vector256.Min(candidates.GetLower(), candidates.GetUpper());
        Vector128<int> few = Vector128.Min(fewer.GetLower(), fewer.GetUpper());
        few = Vector128.Min(few, Vector128.Shuffle(few, Vector128.Create(2, 3, 0, 1)));
        return (byte)Math.Min(few.ToScalar(), few.GetElement(1));
    }
}
