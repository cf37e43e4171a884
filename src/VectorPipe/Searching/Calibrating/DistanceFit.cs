using VectorPipe.Storage.Manifests;

namespace VectorPipe.Searching.Calibrating;

/// <summary>Fits the line from code distances to exact distances, over the candidates that a search must tell apart.</summary>
/// <remarks>
/// Not thread-safe. The line has no offset: one with an offset fits the far candidates better and costs 3 to 5 % more reads at equal recall
/// (SIFT 1M).
/// </remarks>
internal sealed class DistanceFit(DistanceMetric metric, float largestSquaredNorm)
{
    // A code distance may be 0 or negative: expected distances below this share of the mean weigh as much as the share.
    private const double LeastShare = 0.05;
    private const double Smallest = 1e-12;

    private readonly List<(float Code, float Exact, float Shift)> _pairs = [];

    public void Add(float codeDistance, float exactDistance, float querySquaredNorm) =>
        _pairs.Add(
            (codeDistance, exactDistance, metric == DistanceMetric.InnerProduct ? (querySquaredNorm + largestSquaredNorm) / 2 : 0));

    /// <summary>A fit over all pairs of several fits of one metric, in their order.</summary>
    public static DistanceFit Join(IReadOnlyList<DistanceFit> fits)
    {
        DistanceFit first = fits[0];
        foreach (DistanceFit other in fits.Skip(1))
            first._pairs.AddRange(other._pairs);
        return first;
    }

    /// <summary>The line, without a table.</summary>
    public Calibration ToCalibration()
    {
        double slope = Slope();
        double floor = Math.Max(LeastShare * _pairs.Sum(pair => pair.Exact + pair.Shift) / Math.Max(1, _pairs.Count), Smallest);
        double squares = 0;
        foreach ((float code, float exact, float shift) in _pairs)
        {
            double expected = slope * (code + shift) - shift;
            squares += (exact - expected) * (exact - expected) / Math.Max(expected + shift, floor);
        }

        double spread = Math.Sqrt(squares / Math.Max(1, _pairs.Count));
        return new Calibration((float)slope, (float)Math.Max(spread, 1e-6), largestSquaredNorm, []);
    }

    // The squared error grows with the code distance. With weights of one over it, the best slope is the ratio of the sums.
    private double Slope()
    {
        double codes = 0, exacts = 0;
        foreach ((float code, float exact, float shift) in _pairs)
        {
            codes += code + shift;
            exacts += exact + shift;
        }

        double slope = codes > 0 ? exacts / codes : 0;
        return slope > 0 && double.IsFinite(slope) ? slope : 1;
    }
}
