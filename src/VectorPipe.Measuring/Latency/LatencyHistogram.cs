using System.Text.Json.Nodes;
using HdrHistogram;

namespace VectorPipe.Measuring.Latency;

/// <summary>Counts durations in an HdrHistogram: a percentile is at most 0.1 % above the duration that it stands for.</summary>
/// <remarks>
/// Durations are nanoseconds; longer ones than <see cref="MaxNs"/> (about 36 minutes) are counted as that. Mean and greatest are exact.
/// Counting allocates nothing. Not thread-safe: one a thread, added up in the end.
/// </remarks>
internal sealed class LatencyHistogram
{
    /// <summary>Longer durations are counted, but only their greatest is known.</summary>
    // Buckets of durations above are 2^31 ns wide or wider, and the histogram computes their ends in 32 bits.
    public const long MaxNs = (1L << 41) - 1;

    private const int SignificantDigits = 3;

    private readonly LongHistogram _histogram = new(MaxNs, SignificantDigits);

    /// <summary>Durations counted.</summary>
    public long Count => _histogram.TotalCount;

    /// <summary>The greatest, exactly; 0 if there is none.</summary>
    public long GreatestNs { get; private set; }

    /// <summary>The sum of all, exactly up to the precision of a double.</summary>
    public double SumNs { get; private set; }

    /// <summary>The mean; 0 if there is none.</summary>
    public double MeanNs => Count == 0 ? 0 : SumNs / Count;

    /// <summary>Counts a duration; a negative one (the clock of another processor) as 0.</summary>
    public void Record(long ns) => Record(ns, 1);

    /// <summary>Counts a duration several times.</summary>
    public void Record(long ns, long times)
    {
        ns = Math.Max(ns, 0);
        _histogram.RecordValueWithCount(Math.Min(ns, MaxNs), times);
        SumNs += (double)ns * times;
        GreatestNs = Math.Max(GreatestNs, ns);
    }

    /// <summary>Adds the durations that another histogram has counted.</summary>
    public void Add(LatencyHistogram other)
    {
        _histogram.Add(other._histogram);
        SumNs += other.SumNs;
        GreatestNs = Math.Max(GreatestNs, other.GreatestNs);
    }

    /// <summary>Forgets everything.</summary>
    public void Clear()
    {
        _histogram.Reset();
        SumNs = 0;
        GreatestNs = 0;
    }

    /// <summary>The duration that a share of all durations does not exceed, rounded up to the end of its bucket; 0 if there is
    /// none.</summary>
    /// <param name="share">0 to 1.</param>
    public long PercentileNs(double share)
    {
        if (Count == 0)
            return 0;
        long ns = _histogram.GetValueAtPercentile(100 * share);
        return ns >= MaxNs ? GreatestNs : Math.Min(ns, GreatestNs);
    }

    /// <summary>Names and values of the columns of a report, in microseconds.</summary>
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
