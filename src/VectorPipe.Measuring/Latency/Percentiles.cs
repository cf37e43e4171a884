namespace VectorPipe.Measuring.Latency;

/// <summary>Percentiles of exact samples.</summary>
internal static class Percentiles
{
    /// <summary>The smallest sample that a share (0 to 1) of all samples does not exceed: a sample, never a mean of two.</summary>
    /// <param name="ascending">The sorted samples; at least one.</param>
    public static double Of(ReadOnlySpan<double> ascending, double share) =>
        ascending[Math.Clamp((int)Math.Ceiling(share * ascending.Length), 1, ascending.Length) - 1];
}
