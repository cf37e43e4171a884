using Microsoft.Extensions.VectorData;
using Microsoft.Extensions.VectorData.ProviderServices;

namespace VectorPipe.Extensions.VectorData;

/// <summary>How the scores of a collection become those of a distance function, and which of them are within a threshold.</summary>
/// <param name="Metric">The metric of the collection.</param>
/// <param name="IsDistance">Whether a lower score is the better one.</param>
/// <param name="Convert">From a score of the collection to one of the function.</param>
internal sealed record ScoreScale(DistanceMetric Metric, bool IsDistance, Func<float, double> Convert)
{
    /// <summary>The scale of a vector property; cosine similarity unless it says something else.</summary>
    /// <exception cref="NotSupportedException">No metric gives that distance.</exception>
    public static ScoreScale Of(VectorPropertyModel property) => property.DistanceFunction switch
    {
        null or DistanceFunction.CosineSimilarity => new(DistanceMetric.Cosine, false, score => score),
        DistanceFunction.CosineDistance => new(DistanceMetric.Cosine, true, score => 1 - (double)score),
        DistanceFunction.DotProductSimilarity => new(DistanceMetric.InnerProduct, false, score => score),
        DistanceFunction.NegativeDotProductSimilarity => new(DistanceMetric.InnerProduct, true, score => -score),
        DistanceFunction.EuclideanSquaredDistance => new(DistanceMetric.L2, true, score => score),
        DistanceFunction.EuclideanDistance => new(DistanceMetric.L2, true, score => Math.Sqrt(score)),
        string other => throw new NotSupportedException(
            $"Expected a distance function of cosine, dot product or Euclid for {property.ModelName}, found {other}."),
    };

    /// <summary>Whether a score is at least as good as a threshold.</summary>
    public bool IsWithin(double score, double threshold) => IsDistance ? score <= threshold : score >= threshold;
}
