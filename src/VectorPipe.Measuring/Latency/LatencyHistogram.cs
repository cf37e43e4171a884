using System.Text.Json.Nodes;
using HdrHistogram;

namespace VectorPipe.Measuring.Latency;

/// <summary>A histogram of durations in nanoseconds: a percentile is at most 0.1 % too high.</summary>
/// <remarks>
/// Durations above <see cref="MaxNs"/> (about 36 minutes) count as that. Mean and maximum are exact. Counting allocates nothing.
/// Not thread-safe: use one for each thread, and add them up in the end.
/// </remarks>
internal sealed class LatencyHistogram
{
    // HdrHistogram computes the ends of buckets in 32 bits, and buckets above this are 2^31 ns wide or wider.
    public const long MaxNs = (1L << 41) - 1;

    private const int SignificantDigits = 3;

    private readonly LongHistogram _histogram = new(MaxNs, SignificantDigits);

    public long Count => _histogram.TotalCount;

    /// <summary>The exact maximum; 0 if there is none.</summary>
    public long GreatestNs { get; private set; }

    public double SumNs { get; private set; }

    /// <summary>The mean; 0 if there is none.</summary>
    public double MeanNs => Count == 0 ? 0 : SumNs / Count;

    /// <summary>Counts a duration. Negative ones (clocks of different processors) count as 0.</summary>
    public void Record(long ns, long times = 1)
    {
        ns = Math.Max(ns, 0);
        _histogram.RecordValueWithCount(Math.Min(ns, MaxNs), times);
        SumNs += (double)ns * times;
        GreatestNs = Math.Max(GreatestNs, ns);
    }

    public void Add(LatencyHistogram other)
    {
        _histogram.Add(other._histogram);
        SumNs += other.SumNs;
        GreatestNs = Math.Max(GreatestNs, other.GreatestNs);
    }

    public void Clear()
    {
        _histogram.Reset();
        SumNs = 0;
        GreatestNs = 0;
    }

    /// <summary>The duration that a share (0 to 1) of all durations does not exceed; 0 if there is none.</summary>
    public long PercentileNs(double share)
    {
        if (Count == 0)
            return 0;
        long ns = _histogram.GetValueAtPercentile(100 * share);
        return ns >= MaxNs ? GreatestNs : Math.Min(ns, GreatestNs);
    }

    /// <summary>Columns of a report, in microseconds.</summary>
    public IReadOnlyList<KeyValuePair<string, JsonNode?>> ToColumns() =>
    [
        new("mean_us", MeanNs / 1e3),
        new("p50_us", PercentileNs(0.5) / 1e3),
        new("p95_us", PercentileNs(0.95) / 1e3),
        new("p99_us", PercentileNs(0.99) / 1e3),
        new("p999_us", PercentileNs(0.999) / 1e3),
        new("max_us", GreatestNs / 1e3),
    ];
}
