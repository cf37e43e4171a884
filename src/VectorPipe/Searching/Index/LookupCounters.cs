namespace VectorPipe.Searching.Index;

/// <summary>Hits and misses of a cache that many threads use.</summary>
/// <remarks>
/// Thread-safe and exact. Threads count in places of their own, so that a hit does not wait for a cache line that another processor has
/// just written to.
/// </remarks>
internal sealed class LookupCounters
{
    private const int Stripes = 32;

    // 128 bytes: processors fetch cache lines in pairs.
    private const int LongsPerStripe = 16;

    private readonly long[] _counts = new long[(Stripes + 1) * LongsPerStripe];

    /// <summary>Pages found.</summary>
    public long Hits => Sum(0);

    /// <summary>Pages not found.</summary>
    public long Misses => Sum(1);

    /// <summary>Counts a page that was found.</summary>
    public void Hit() => Interlocked.Increment(ref _counts[OfThisThread()]);

    /// <summary>Counts pages that were found.</summary>
    public void Hit(int count) => Interlocked.Add(ref _counts[OfThisThread()], count);

    /// <summary>Counts a page that was not found.</summary>
    public void Miss() => Interlocked.Increment(ref _counts[OfThisThread() + 1]);

    // The first stripe stays free: the array's own header lies before it.
    private static int OfThisThread() => (1 + (Environment.CurrentManagedThreadId & (Stripes - 1))) * LongsPerStripe;

    private long Sum(int which)
    {
        long sum = 0;
        for (int stripe = 1; stripe <= Stripes; stripe++)
            sum += Interlocked.Read(ref _counts[(stripe * LongsPerStripe) + which]);
        return sum;
    }
}
