using System.Numerics;
using System.Runtime.InteropServices;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Numerics.Conversion;

namespace VectorPipe.Building.Layout;

/// <summary>Decides whether rounding float32 vectors to float16 preserves the order of their distances.</summary>
/// <remarks>One thread adds every vector, then asks once. Deterministic.</remarks>
internal sealed class HalfFit(DistanceMetric metric)
{
    // The largest finite float16.
    private const float MostMagnitude = 65_504;

    // Below 2^-14 components lose relative precision, down to steps of 2^-24. That moves a vector with a component of 2^-9 by at most a
    // thousandth of its length.
    private const float LeastMagnitude = 1f / 512;

    // Squared rounding error relative to the squared distance from the mean. Nearest neighbours lie at a hundredth of the latter or more,
    // so the error is at most a ten-thousandth of their distance.
    private const double MostError = 1e-6;

    // A sample of this size stands for all vectors.
    private const int SampleSize = 8192;

    private float _largest;
    private float _shortest = float.MaxValue;
    private long _row;

    /// <summary>Row of the largest component.</summary>
    public long LargestRow { get; private set; }

    /// <summary>Describes a component beyond the range of float16; null if there is none.</summary>
    public string? RangeDefect =>
        _largest <= MostMagnitude
        ? null
        : $"expected components of at most {MostMagnitude:N0} in magnitude for float16, found {_largest:G6}";

    /// <summary>Adds the next vector, of finite float32 components.</summary>
    public void Add(ReadOnlySpan<byte> vector)
    {
        float magnitude = Magnitude(MemoryMarshal.Cast<byte, float>(vector));
        if (magnitude > _largest)
            LargestRow = _row;
        _largest = Math.Max(_largest, magnitude);
        _shortest = Math.Min(_shortest, magnitude);
        _row++;
    }

    /// <summary>Describes why vectors should not be rounded; null if they may be.</summary>
    public string? FindDefect(PointTable points, PageLease lease)
    {
        if (RangeDefect is { } defect)
            return defect;

        // The largest component bounds the precision of a direction.
        if (metric == DistanceMetric.Cosine && _shortest < LeastMagnitude)
            return $"expected vectors with a component of {LeastMagnitude:G3} or more for float16, found one with {_shortest:G3} at most";
        double error = RelativeError(points, lease);
        return error <= MostError
            ? null
            : $"expected a rounding error of at most {MostError:G2} of the vectors' variance, found {error:G2}";
    }

    private static float Magnitude(ReadOnlySpan<float> vector)
    {
        var largest = Vector<float>.Zero;
        int i = 0;
        for (; i <= vector.Length - Vector<float>.Count; i += Vector<float>.Count)
            largest = Vector.Max(largest, Vector.Abs(new Vector<float>(vector[i..])));
        float magnitude = 0;
        for (int lane = 0; lane < Vector<float>.Count; lane++)
            magnitude = Math.Max(magnitude, largest[lane]);
        for (; i < vector.Length; i++)
            magnitude = Math.Max(magnitude, Math.Abs(vector[i]));
        return magnitude;
    }

    private double RelativeError(PointTable points, PageLease lease)
    {
        int sample = Math.Min(SampleSize, points.Count);
        double[] sums = new double[points.Dimension], squares = new double[points.Dimension];
        double errors = 0;
        for (int i = 0; i < sample; i++)
        {
            int row = (int)((long)i * points.Count / sample);
            lease.Begin();
            points.Ask(lease, row, 1);
            lease.Fetch();
            ReadOnlySpan<byte> vector = points.Vector(row);
            ReadOnlySpan<float> components = MemoryMarshal.Cast<byte, float>(vector);

            // Under cosine, directions count, not lengths.
            double scale = metric == DistanceMetric.Cosine
                ? 1 / Math.Sqrt(VectorConversion.SquaredNorm(VectorElementType.Float32, vector))
                : 1;
            for (int c = 0; c < components.Length; c++)
            {
                double value = components[c] * scale, error = (components[c] - (double)(Half)components[c]) * scale;
                sums[c] += value;
                squares[c] += value * value;
                errors += error * error;
            }
        }

        double variance = 0;
        for (int c = 0; c < sums.Length; c++)
            variance += Math.Max(0, squares[c] - (sums[c] * sums[c] / sample));
        return errors == 0 ? 0 : errors / Math.Max(variance, double.Epsilon);
    }
}
