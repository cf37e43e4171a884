namespace VectorPipe.Searching.Index;

/// <summary>Hits and misses of a cache that many threads use.</summary>
/// <remarks>
/// Thread-safe and exact. Threads count in separate cache lines, so that no hit waits for a line that another processor has just written.
/// </remarks>
internal sealed class LookupCounters
{
    private const int Stripes = 32;

    // 128 bytes: processors fetch cache lines in pairs.
    private const int LongsPerStripe = 16;

    private readonly long[] _counts = new long[(Stripes + 1) * LongsPerStripe];

    public long Hits => Sum(0);

    public long Misses => Sum(1);

    public void Hit() => Hit(1);

    public void Hit(int count) => Interlocked.Add(ref _counts[OfThisThread()], count);

    public void Miss() => Interlocked.Increment(ref _counts[OfThisThread() + 1]);

    // The first stripe stays free, because the array's header lies before it.
    private static int OfThisThread() => (1 + (Environment.CurrentManagedThreadId & (Stripes - 1))) * LongsPerStripe;

    private long Sum(int which)
    {
        long sum = 0;
        for (int stripe = 1; stripe <= Stripes; stripe++)
            sum += Interlocked.Read(ref _counts[(stripe * LongsPerStripe) + which]);
        return sum;
    }
}
