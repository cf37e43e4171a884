using System.Diagnostics;
using System.Numerics;

namespace VectorPipe.Bench.Mixes;

/// <summary>Latencies of each second of a run, so that a stall shows that the percentiles of the whole run hide.</summary>
/// <remarks>Thread-safe. A percentile is at most 1/32 too high.</remarks>
internal sealed class SecondLatencies
{
    private const int BucketsOfOctave = 32;
    private const int Octaves = 41;

    private readonly Lock _gate = new();
    private readonly List<int[]> _seconds = [];
    private long _start;

    /// <summary>Begins the first second, if none has begun.</summary>
    public void Begin() => Interlocked.CompareExchange(ref _start, Stopwatch.GetTimestamp(), 0);

    /// <summary>Counts an operation in the second in which it was due.</summary>
    public void Record(long due, long latencyNs)
    {
        int second = (int)Math.Max(0, Stopwatch.GetElapsedTime(Volatile.Read(ref _start), due).TotalSeconds);
        int[] buckets;
        lock (_gate)
        {
            while (_seconds.Count <= second)
                _seconds.Add(new int[Octaves * BucketsOfOctave]);
            buckets = _seconds[second];
        }

        Interlocked.Increment(ref buckets[BucketOf(Math.Max(1, latencyNs))]);
    }

    /// <summary>The longest 99th percentile of a second; 0 without an operation.</summary>
    public double WorstP99Ns()
    {
        lock (_gate)
            return _seconds.Select(P99Ns).DefaultIfEmpty().Max();
    }

    private static int BucketOf(long ns)
    {
        int octave = Math.Min(BitOperations.Log2((ulong)ns), Octaves - 1);
        long within = (ns - (1L << octave)) * BucketsOfOctave >> octave;
        return (octave * BucketsOfOctave) + (int)Math.Min(within, BucketsOfOctave - 1);
    }

    private static double P99Ns(int[] buckets)
    {
        long left = (long)Math.Ceiling(buckets.Sum() * 0.99);
        for (int i = 0; left > 0; i++)
        {
            left -= buckets[i];
            if (left <= 0)
                return Math.ScaleB(1 + (((i % BucketsOfOctave) + 1.0) / BucketsOfOctave), i / BucketsOfOctave);
        }

        return 0;
    }
}
