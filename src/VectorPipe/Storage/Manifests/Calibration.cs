namespace VectorPipe.Storage.Manifests;

/// <summary>
/// What code distances of an index say about exact distances, and what searches of it cost and find: measured on the index itself.
/// </summary>
/// <param name="Slope">Exact distance a unit of code distance, both made positive under the inner product; above 0.</param>
/// <param name="Spread">Standard deviation of the exact distance from what that makes of the code distance, in units of the square root of
/// the exact distance (made positive under the inner product); above 0.</param>
/// <param name="LargestSquaredNorm">Largest squared norm of a vector under the inner product, else 0.</param>
/// <param name="Points">Recall and reads at a number of thresholds, from the highest on; of an index of lists, which has no use for the
/// rest, at a number of lists, from the lowest on.</param>
internal sealed record Calibration(float Slope, float Spread, float LargestSquaredNorm, IReadOnlyList<CalibrationPoint> Points)
{
    /// <summary>Results of the queries that the table was measured with.</summary>
    public const int K = 10;

    /// <summary>Vectors of an index that can be calibrated, at least.</summary>
    public const int LeastVectors = 1000;

    // What is missed beside the target's own share counts in logarithms: from 0.99 to 0.999 is as far as from 0.9 to 0.99.
    private const float LeastMissed = 1e-5f;

    /// <summary>The highest recall that was found; 0 if nothing was measured.</summary>
    public float MostFound => Points.Count == 0 ? 0 : Points.Max(point => point.Recall);

    /// <summary>The threshold, or the number of lists, at which as much was found; the last one, if nowhere as much was.</summary>
    public float ThresholdFor(float recall)
    {
        for (int i = 0; i < Points.Count; i++)
        {
            if (Points[i].Recall < recall)
                continue;
            if (i == 0 || Points[i].Recall <= Points[i - 1].Recall)
                return Points[i].Threshold;
            float from = Log(1 - Points[i - 1].Recall), to = Log(1 - Points[i].Recall);
            float share = (Log(1 - recall) - from) / (to - from);
            return MathF.Exp(Log(Points[i - 1].Threshold) + share * (Log(Points[i].Threshold) - Log(Points[i - 1].Threshold)));
        }

        return Points.Count == 0 ? LeastMissed : Points[^1].Threshold;
    }

    private static float Log(float value) => MathF.Log(MathF.Max(value, LeastMissed));
}
