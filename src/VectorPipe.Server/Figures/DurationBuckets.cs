using System.Numerics;

namespace VectorPipe.Server.Figures;

/// <summary>Counts durations in buckets, 64 for each doubling: a percentile is at most 1.6 % too high.</summary>
/// <remarks>
/// Thread-safe. Counting takes one atomic increment and allocates nothing. Counts only grow: those of an interval are a difference.
/// </remarks>
internal sealed class DurationBuckets
{
    private const int SubBits = 6;
    private const int SubBuckets = 1 << SubBits;

    // About 73 minutes; longer durations count as that.
    private const int MostBits = 42;
    private const long MostNs = (1L << MostBits) - 1;

    private readonly long[] _counts = new long[Count];

    /// <summary>The number of buckets.</summary>
    public static int Count => (MostBits - SubBits + 1) * SubBuckets;

    /// <summary>Durations in all buckets.</summary>
    public long Total => _counts.Sum();

    public void Add(long ns) => Interlocked.Increment(ref _counts[IndexOf(ns)]);

    public void CopyTo(Span<long> counts)
    {
        for (int i = 0; i < _counts.Length; i++)
            counts[i] = Volatile.Read(ref _counts[i]);
    }

    /// <summary>The duration that a share of all durations does not exceed; null if there is none.</summary>
    /// <param name="counts">Durations in each bucket.</param>
    /// <param name="share">0 to 1.</param>
    public static double? PercentileUs(ReadOnlySpan<long> counts, double share)
    {
        long total = 0;
        foreach (long count in counts)
            total += count;
        if (total == 0)
            return null;
        long rank = Math.Max(1, (long)Math.Ceiling(share * total));
        int at = 0;
        for (long seen = counts[0]; seen < rank; seen += counts[at])
            at++;
        return GreatestNs(at) / 1e3;
    }

    // Durations below 64 ns have a bucket each. Above, the bits behind the first one choose the bucket of a doubling.
    private static int IndexOf(long ns)
    {
        ulong value = (ulong)Math.Clamp(ns, 0, MostNs);
        if (value < SubBuckets)
            return (int)value;
        int shift = BitOperations.Log2(value) - SubBits;
        return ((shift + 1) << SubBits) + (int)((value >> shift) & (SubBuckets - 1));
    }

    private static long GreatestNs(int index)
    {
        int group = index >> SubBits;
        long sub = index & (SubBuckets - 1);
        return group == 0 ? sub : ((SubBuckets + sub + 1) << (group - 1)) - 1;
    }
}
