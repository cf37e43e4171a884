using System.Numerics;
using System.Runtime.InteropServices;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Numerics.Conversion;

namespace VectorPipe.Building.Layout;

/// <summary>Whether float32 vectors can be rounded to float16 without harm to the order of their distances.</summary>
/// <remarks>Fed with every vector by one thread, then asked once. Deterministic.</remarks>
internal sealed class HalfFit
{
    // The largest finite float16.
    private const float MostMagnitude = 65_504;

    // Below 2^-14 components lose their relative precision, down to steps of 2^-24. A vector that reaches 2^-9 is moved by at most a
    // thousandth of its length by that.
    private const float LeastMagnitude = 1f / 512;

    // Squared error of the rounding against the squared distance from the mean. Nearest neighbours lie at a hundredth of the latter or
    // more: the error is then a ten-thousandth of their distance.
    private const double MostError = 1e-6;

    // Means and errors of so many vectors are those of all.
    private const int SampleSize = 8192;

    private readonly DistanceMetric _metric;
    private float _largest;
    private float _shortest = float.MaxValue;
    private long _row;

    /// <param name="metric">What distances are computed.</param>
    public HalfFit(DistanceMetric metric) => _metric = metric;

    /// <summary>Row of the largest component.</summary>
    public long LargestRow { get; private set; }

    /// <summary>Whether a component cannot be held at all; null if every one can.</summary>
    public string? RangeDefect =>
        _largest <= MostMagnitude
        ? null
        : $"expected components of at most {MostMagnitude:N0} in magnitude for float16, found {_largest:G6}";

    /// <summary>Takes a vector into account.</summary>
    /// <param name="vector">Finite float32 components, as they were given.</param>
    public void Add(ReadOnlySpan<byte> vector)
    {
        float magnitude = Magnitude(MemoryMarshal.Cast<byte, float>(vector));
        if (magnitude > _largest)
            LargestRow = _row;
        _largest = Math.Max(_largest, magnitude);
        _shortest = Math.Min(_shortest, magnitude);
        _row++;
    }

    /// <summary>Tells why vectors are better not rounded; null if they may be.</summary>
    /// <param name="points">All that was added.</param>
    /// <param name="lease">Begun anew, again and again.</param>
    public string? FindDefect(PointTable points, PageLease lease)
    {
        if (RangeDefect is { } defect)
            return defect;

        // A direction is as exact as the largest of its components.
        if (_metric == DistanceMetric.Cosine && _shortest < LeastMagnitude)
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

            // For the cosine directions count, not lengths.
            double scale = _metric == DistanceMetric.Cosine
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
