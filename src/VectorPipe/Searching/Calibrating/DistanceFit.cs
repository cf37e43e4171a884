using VectorPipe.Searching.Requests;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Searching.Calibrating;

/// <summary>
/// How much larger exact distances are than code distances, and how far off: over the candidates that a search has to tell apart.
/// </summary>
/// <remarks>
/// Not thread-safe. A line with an offset fits a little better and searches worse: 3 to 5 % more reads at equal recall on photo-SIFT 1M,
/// since it is the far end of the candidates that it is fitted to.
/// </remarks>
internal sealed class DistanceFit : ICandidateProbe
{
    // Of each query so many candidates count, the best by code: they are those that a search has to tell apart.
    private const int Candidates = 30;

    // An estimate may say of a near vector that it is at the query, or nearer; a distance below this share of the average one is not
    // weighed by what it says.
    private const double LeastShare = 0.05;
    private const double Smallest = 1e-12;

    private readonly DistanceMetric _metric;
    private readonly float _largestSquaredNorm;
    private readonly List<(float Code, float Exact, float Shift)> _pairs = [];

    public DistanceFit(DistanceMetric metric, float largestSquaredNorm)
    {
        _metric = metric;
        _largestSquaredNorm = largestSquaredNorm;
    }

    public int Wanted => Candidates;

    public void Add(float codeDistance, float exactDistance, float querySquaredNorm) =>
        _pairs.Add(
            (codeDistance, exactDistance, _metric == DistanceMetric.InnerProduct ? (querySquaredNorm + _largestSquaredNorm) / 2 : 0));

    /// <summary>The line; without a table.</summary>
    public Calibration ToCalibration()
    {
        double slope = Slope();
        double squares = 0,
            floor = Math.Max(LeastShare * _pairs.Sum(pair => pair.Exact + pair.Shift) / Math.Max(1, _pairs.Count), Smallest);
        foreach ((float code, float exact, float shift) in _pairs)
        {
            double expected = slope * (code + shift) - shift;
            squares += (exact - expected) * (exact - expected) / Math.Max(expected + shift, floor);
        }

        double spread = Math.Sqrt(squares / Math.Max(1, _pairs.Count));
        return new Calibration((float)slope, (float)Math.Max(spread, 1e-6), _largestSquaredNorm, []);
    }

    // Weighted by one over the code distance, which is how the squared error grows, the best slope is the ratio of the sums.
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
