namespace VectorPipe.Measuring.Latency;

/// <summary>Percentiles of exact samples.</summary>
internal static class Percentiles
{
    /// <summary>The smallest sample that a share of all samples does not exceed (nearest rank): a sample, never a mixture of two.</summary>
    /// <param name="ascending">The samples in order; at least one.</param>
    /// <param name="share">0 to 1.</param>
    public static double Of(ReadOnlySpan<double> ascending, double share) => ascending[RankOf(ascending.Length, share) - 1];

    /// <summary>The rank, from 1, of the sample that stands for a share.</summary>
    /// <param name="count">Samples; at least one.</param>
    /// <param name="share">0 to 1.</param>
    public static int RankOf(int count, double share) => (int)RankOf((long)count, share);

    /// <summary>The rank, from 1, of the sample that stands for a share.</summary>
    /// <param name="count">Samples; at least one.</param>
    /// <param name="share">0 to 1.</param>
    public static long RankOf(long count, double share) => Math.Clamp((long)Math.Ceiling(share * count), 1, count);
}
