using System.Numerics;

namespace VectorPipe.Measuring.Latency;

/// <summary>Counts durations in log-linear buckets: 128 a power of two, so that a percentile is at most 0.8 % above the sample that it stands for.</summary>
/// <remarks>
/// Durations are nanoseconds. Below 256 ns every nanosecond has its own bucket; above <see cref="MaxNs"/> (about 4.9 hours) all share the
/// last one. Mean, least and greatest are exact. Not thread-safe: one a thread, added up in the end.
/// </remarks>
internal sealed class LatencyHistogram
{
    private const int StepBits = 7;
    private const int StepsPerOctave = 1 << StepBits;
    private const int MaxBits = 44;

    private readonly long[] _counts = new long[((MaxBits - StepBits) * StepsPerOctave) + StepsPerOctave];
    private double _sumNs;

    /// <summary>Longer durations are counted, but only their greatest is known.</summary>
    public const long MaxNs = (1L << MaxBits) - 1;

    /// <summary>Durations counted.</summary>
    public long Count { get; private set; }

    /// <summary>The greatest, exactly; 0 if there is none.</summary>
    public long GreatestNs { get; private set; }

    /// <summary>The sum of all, exactly up to the precision of a double.</summary>
    public double SumNs => _sumNs;

    /// <summary>The mean; 0 if there is none.</summary>
    public double MeanNs => Count == 0 ? 0 : _sumNs / Count;

    /// <summary>Counts a duration; a negative one (the clock of another processor) as 0.</summary>
    public void Record(long ns) => Record(ns, 1);

    /// <summary>Counts a duration several times.</summary>
    public void Record(long ns, long times)
    {
        ns = Math.Max(ns, 0);
        _counts[BucketOf(Math.Min(ns, MaxNs))] += times;
        Count += times;
        _sumNs += (double)ns * times;
        if (ns > GreatestNs)
            GreatestNs = ns;
    }

    /// <summary>Adds what another histogram has counted.</summary>
    public void Add(LatencyHistogram other)
    {
        for (int i = 0; i < _counts.Length; i++)
            _counts[i] += other._counts[i];
        Count += other.Count;
        _sumNs += other._sumNs;
        GreatestNs = Math.Max(GreatestNs, other.GreatestNs);
    }

    /// <summary>Forgets everything.</summary>
    public void Clear()
    {
        Array.Clear(_counts);
        Count = 0;
        _sumNs = 0;
        GreatestNs = 0;
    }

    /// <summary>The duration that a share of all durations does not exceed (nearest rank), rounded up to the end of its bucket; 0 if there is none.</summary>
    /// <param name="share">0 to 1.</param>
    public long PercentileNs(double share)
    {
        if (Count == 0)
            return 0;
        long rank = Percentiles.RankOf(Count, share);
        long seen = 0;
        for (int bucket = 0; bucket < _counts.Length; bucket++)
        {
            seen += _counts[bucket];
            if (seen >= rank)
                return bucket == _counts.Length - 1 ? GreatestNs : Math.Min(LastOf(bucket), GreatestNs);
        }

        return GreatestNs;
    }

    private static int BucketOf(long ns)
    {
        int shift = Math.Max(0, BitOperations.Log2((ulong)ns) - StepBits);
        return (shift * StepsPerOctave) + (int)(ns >> shift);
    }

    /// <summary>The greatest duration of a bucket.</summary>
    private static long LastOf(int bucket)
    {
        int shift = Math.Max(0, (bucket / StepsPerOctave) - 1);
        long step = bucket - ((long)shift * StepsPerOctave);
        return ((step + 1) << shift) - 1;
    }
}
