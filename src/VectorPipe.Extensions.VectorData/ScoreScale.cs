using Microsoft.Extensions.VectorData;
using Microsoft.Extensions.VectorData.ProviderServices;

namespace VectorPipe.Extensions.VectorData;

/// <summary>How the scores of a collection become those of a distance function, and which of them are within a threshold.</summary>
/// <param name="Metric">The metric of the collection.</param>
/// <param name="IsDistance">Whether a lower score is the better one.</param>
/// <param name="Convert">From a score of the collection to one of the function.</param>
/// <param name="Invert">The way back, up to rounding.</param>
internal sealed record ScoreScale(DistanceMetric Metric, bool IsDistance, Func<float, double> Convert, Func<double, double> Invert)
{
    /// <summary>The scale of a vector property; cosine similarity unless it says something else.</summary>
    /// <exception cref="NotSupportedException">No metric gives that distance.</exception>
    public static ScoreScale Of(VectorPropertyModel property) => property.DistanceFunction switch
    {
        null or DistanceFunction.CosineSimilarity => new(DistanceMetric.Cosine, false, score => score, score => score),
        DistanceFunction.CosineDistance => new(DistanceMetric.Cosine, true, score => 1 - (double)score, distance => 1 - distance),
        DistanceFunction.DotProductSimilarity => new(DistanceMetric.InnerProduct, false, score => score, score => score),
        DistanceFunction.NegativeDotProductSimilarity => new(DistanceMetric.InnerProduct, true, score => -score, distance => -distance),
        DistanceFunction.EuclideanSquaredDistance => new(DistanceMetric.L2, true, score => score, distance => distance),
        DistanceFunction.EuclideanDistance => new(
            DistanceMetric.L2, true, score => Math.Sqrt(score), distance => distance * Math.Abs(distance)),
        string other => throw new NotSupportedException(
            $"Expected a distance function of cosine, dot product or Euclid for {property.ModelName}, found {other}."),
    };

    /// <summary>A score of the collection that is little worse than a threshold: what is worse need not be read.</summary>
    /// <returns>The score; null if the collection cannot take it.</returns>
    public float? BoundOf(double threshold)
    {
        const double rounding = 1e-6;
        double bound = Invert(threshold);
        double slack = rounding * Math.Max(1, Math.Abs(bound));
        var loose = (float)(Metric == DistanceMetric.L2 ? Math.Max(0, bound + slack) : bound - slack);
        return float.IsFinite(loose) ? loose : null;
    }

    /// <summary>Whether a score is at least as good as a threshold.</summary>
    public bool IsWithin(double score, double threshold) => IsDistance ? score <= threshold : score >= threshold;
}
