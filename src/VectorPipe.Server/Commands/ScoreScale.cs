namespace VectorPipe.Server.Commands;

/// <summary>Scores of a metric as vector sets give them: 1 for the nearest, 0 for the farthest there is.</summary>
internal static class ScoreScale
{
    /// <param name="score">As a collection gives it.</param>
    public static double Of(DistanceMetric metric, float score) => metric switch
    {
        // A cosine of 1 to -1, a distance of 0 to 2: half of it is taken off.
        DistanceMetric.Cosine => (1.0 + score) / 2,
        DistanceMetric.L2 => 1 / (1.0 + score),

        // There is no farthest.
        _ => score,
    };
}
