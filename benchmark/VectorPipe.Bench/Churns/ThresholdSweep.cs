namespace VectorPipe.Bench.Churns;

/// <summary>Recall and reads of the same queries at falling thresholds. Immutable.</summary>
/// <param name="Recall">Mean recall at each threshold.</param>
/// <param name="Reads">Mean reads at each threshold.</param>
internal sealed record ThresholdSweep(double[] Recall, double[] Reads)
{
    /// <summary>The thresholds, from few reads to many.</summary>
    public static readonly float[] Thresholds = [2, 1, 0.5f, Compared, 0.12f, 0.06f, 0.03f, 0.0125f, 0.005f];

    /// <summary>The threshold at which two indexes are compared: it finds about 0.97 of ten neighbours among 100,000 vectors.</summary>
    public const float Compared = 0.26f;

    /// <summary>Recall at <see cref="Compared"/>.</summary>
    public double RecallCompared => Recall[Array.IndexOf(Thresholds, Compared)];

    /// <summary>Reads that a recall takes, on the line between the thresholds on its two sides; null if it lies outside of all.</summary>
    /// <param name="recall">Recall, 0 to 1.</param>
    public double? ReadsAt(double recall)
    {
        for (int i = 1; i < Recall.Length; i++)
        {
            if (Recall[i - 1] < recall && Recall[i] >= recall)
                return Reads[i - 1] + ((Reads[i] - Reads[i - 1]) * (recall - Recall[i - 1]) / (Recall[i] - Recall[i - 1]));
        }

        return null;
    }
}
