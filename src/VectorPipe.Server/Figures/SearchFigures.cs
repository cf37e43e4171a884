using System.Diagnostics;

namespace VectorPipe.Server.Figures;

/// <summary>What searches of clients took since the server started.</summary>
/// <remarks>Thread-safe. Counting a search takes a look at the clock and two atomic additions, and allocates nothing.</remarks>
internal sealed class SearchFigures
{
    private const int NsPerTick = 100;

    private readonly DurationBuckets _durations = new();
    private long _reads;
    private long _refused;

    /// <summary>Searches that were answered.</summary>
    public long Searches => _durations.Total;

    /// <summary>Their reads from the device.</summary>
    public long Reads => Volatile.Read(ref _reads);

    /// <summary>Searches that were refused, as too many waited.</summary>
    public long Refused => Volatile.Read(ref _refused);

    /// <summary>Counts a search that was answered.</summary>
    /// <param name="start">The timestamp of its start.</param>
    /// <param name="reads">Its reads from the device.</param>
    public void Count(long start, long reads)
    {
        _durations.Add(Stopwatch.GetElapsedTime(start).Ticks * NsPerTick);
        Interlocked.Add(ref _reads, reads);
    }

    public void CountRefused() => Interlocked.Increment(ref _refused);

    /// <summary>How long searches took, by bucket of <see cref="DurationBuckets"/>.</summary>
    public long[] CopyDurations()
    {
        var counts = new long[DurationBuckets.Count];
        _durations.CopyTo(counts);
        return counts;
    }
}
