namespace VectorPipe.Storage.Manifests;

/// <summary>Measurements on the index itself: how code distances relate to exact ones, and the recall and reads of its searches.</summary>
/// <param name="Slope">Exact distance per unit of code distance, both made positive under the inner product; above 0.</param>
/// <param name="Spread">Standard deviation of the exact distance from that estimate, in units of the square root of the exact distance
/// (made positive under the inner product); above 0.</param>
/// <param name="LargestSquaredNorm">Largest squared norm of a vector under the inner product, else 0.</param>
/// <param name="Points">Recall and reads by threshold, highest first; in an IVF index, which ignores the other values, by number of lists,
/// lowest first.</param>
internal sealed record Calibration(float Slope, float Spread, float LargestSquaredNorm, IReadOnlyList<CalibrationPoint> Points)
{
    /// <summary>The k of the queries that measured the table.</summary>
    public const int K = 10;

    /// <summary>The fewest vectors of an index that is calibrated.</summary>
    public const int LeastVectors = 1000;

    // Interpolation is by the logarithm of the missed share: from 0.99 to 0.999 is as far as from 0.9 to 0.99.
    private const float LeastMissed = 1e-5f;

    /// <summary>The highest measured recall; 0 without measurements.</summary>
    public float MostFound => Points.Count == 0 ? 0 : Points.Max(point => point.Recall);

    /// <summary>The threshold, or number of lists, at which this recall was found; the last one if none reached it.</summary>
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

    /// <summary>The recall that was found at a threshold, or with a number of lists; outside the table, that of its nearest end.</summary>
    public float RecallOf(float threshold)
    {
        bool isFalling = Points.Count > 1 && Points[1].Threshold < Points[0].Threshold;
        for (int i = 0; i < Points.Count; i++)
        {
            float at = Points[i].Threshold;
            if (isFalling ? at > threshold : at < threshold)
                continue;
            if (i == 0 || at == threshold)
                return Points[i].Recall;
            float from = Log(Points[i - 1].Threshold), share = (Log(threshold) - from) / (Log(at) - from);
            float missed = Log(1 - Points[i - 1].Recall);
            return 1 - MathF.Exp(missed + share * (Log(1 - Points[i].Recall) - missed));
        }

        return Points.Count == 0 ? 0 : Points[^1].Recall;
    }

    private static float Log(float value) => MathF.Log(MathF.Max(value, LeastMissed));
}
