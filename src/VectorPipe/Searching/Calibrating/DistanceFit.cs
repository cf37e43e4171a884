using VectorPipe.Numerics;
using VectorPipe.Storage;

namespace VectorPipe.Searching.Calibrating;

/// <summary>The line through pairs of code distance and exact distance that fits best where it matters: weighted by one over the code distance, which is how the squared error grows.</summary>
/// <remarks>Not thread-safe.</remarks>
internal sealed class DistanceFit : ICandidateProbe
{
    // Of each query so many candidates count, the best by code: they are those that a search has to tell apart.
    private const int Candidates = 150;

    private readonly DistanceMetric _metric;
    private readonly float _largestSquaredNorm;
    private readonly List<(float Code, float Exact, float Shift)> _pairs = [];

    public DistanceFit(DistanceMetric metric, float largestSquaredNorm)
    {
        _metric = metric;
        _largestSquaredNorm = largestSquaredNorm;
    }

    /// <inheritdoc/>
    public int Wanted => Candidates;

    /// <inheritdoc/>
    public void Add(float codeDistance, float exactDistance, float querySquaredNorm) =>
        _pairs.Add((codeDistance, exactDistance, _metric == DistanceMetric.InnerProduct ? (querySquaredNorm + _largestSquaredNorm) / 2 : 0));

    /// <summary>The line; without a table.</summary>
    public Calibration ToCalibration()
    {
        (double offset, double slope) = Line();
        double squares = 0;
        foreach ((float code, float exact, float shift) in _pairs)
        {
            double expected = offset + slope * code;
            squares += (exact - expected) * (exact - expected) / (slope * Math.Max(code + shift, Smallest(shift)));
        }

        double spread = Math.Sqrt(squares / Math.Max(1, _pairs.Count));
        return new Calibration((float)offset, (float)slope, (float)Math.Max(spread, 1e-6), _largestSquaredNorm, []);
    }

    private (double Offset, double Slope) Line()
    {
        double sum = 0, sumX = 0, sumY = 0, sumXX = 0, sumXY = 0;
        foreach ((float code, float exact, float shift) in _pairs)
        {
            double weight = 1 / Math.Max(code + shift, Smallest(shift));
            sum += weight;
            sumX += weight * code;
            sumY += weight * exact;
            sumXX += weight * code * code;
            sumXY += weight * code * exact;
        }

        double spreadOfCodes = sum * sumXX - sumX * sumX;
        double slope = spreadOfCodes > 0 ? (sum * sumXY - sumX * sumY) / spreadOfCodes : 0;

        // Too few or too equal candidates for a line: the metric's own scale.
        if (!(slope > 0) || !double.IsFinite(slope))
            return (0, _metric == DistanceMetric.Cosine ? 0.5 : 1);
        return ((sumY - slope * sumX) / sum, slope);
    }

    private static double Smallest(float shift) => shift > 0 ? 1e-6 * shift : 1e-12;
}
