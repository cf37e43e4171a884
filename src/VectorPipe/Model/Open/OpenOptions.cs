using Microsoft.Extensions.Logging;
using VectorPipe.Model.Errors;
using VectorPipe.Model.Open;

namespace VectorPipe;

/// <summary>How an index is opened. Immutable.</summary>
public sealed record OpenOptions
{
    /// <summary>Vectors of a small collection: a walk scores about as many codes as a scan computes distances.</summary>
    internal const int DefaultExactUpTo = 4096;

    /// <summary>The defaults.</summary>
    public static OpenOptions Default { get; } = new();

    /// <summary>
    /// What reads the pages, and how. Default: io_uring where it works, else the portable device; the choice is logged with its reason.
    /// </summary>
    public DeviceOptions Device { get; init; } = DeviceOptions.Default;

    /// <summary>
    /// Run threads that serve asynchronous searches, 1 to 1,024. They start with the first asynchronous search. Default: the number of
    /// processors.
    /// </summary>
    public int SearchThreads { get; init; } = Environment.ProcessorCount;

    /// <summary>Queries that a run thread, or a session, has in flight at once, 1 to 1,024; further ones wait. Default: 16.</summary>
    public int QueriesInFlight { get; init; } = 16;

    /// <summary>
    /// Searches and look-ups that may wait for a place, over all run threads, 1 to 1,000,000: one more is refused with a <see
    /// cref="SearchOverloadedException"/>.
    /// Those in flight do not count, nor do those of sessions; a batch waits for room itself. Default: 4,096.
    /// </summary>
    public int MaxQueuedQueries { get; init; } = 4096;

    /// <summary>
    /// Most bytes of memory for node pages, beside codes and sessions; 0 for none. A budget of the node file's size makes the index
    /// resident: it is verified once, when it is opened,
    /// and searches read nothing from then on. Default: 0.
    /// </summary>
    public long CacheBytes { get; init; }

    /// <summary>Which pages are kept within a budget that does not hold all. Default: static.</summary>
    internal CachePolicy CachePolicy { get; init; }

    /// <summary>
    /// Merged layout: what a read costs, in microseconds, 0 to 1,000,000: from one to the next, of all that are in flight together (12.5 at
    /// 80,000 reads a second). Times <see cref="SearchThreads"/>, which share the device, it is what a read costs a query. Where reads are
    /// dear, searches compute more to save some; where they are cheap, less. Answers differ a little. Null: measured by some milliseconds
    /// of reads when the index is opened, if its node file has 256 MiB or more;
    /// a smaller one is searched as if it were not known, a resident one as if reads cost nothing. Default: null.
    /// </summary>
    public double? ReadCostUs { get; init; }

    /// <summary>A read that takes longer has failed. Above 0, at most an hour. Default: 30 seconds.</summary>
    public TimeSpan ReadTimeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>Receives log messages; null for none.</summary>
    public ILoggerFactory? LoggerFactory { get; init; }

    /// <summary>Receives the work done to fill the cache; null for nobody.</summary>
    internal IProgress<BuildProgress>? Progress { get; init; }

    /// <summary>
    /// Bytes of a node file from which on it is measured what a read costs: reads of a small span are not what a disk's random reads cost.
    /// </summary>
    internal long ReadCostLeastBytes { get; init; } = 256L << 20;

    /// <summary>Vectors of a collection that may be searched exactly if nothing says how to search it; 0 for none.</summary>
    internal long ExactUpTo { get; init; } = DefaultExactUpTo;

    /// <summary>The options, checked.</summary>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    internal OpenOptions Validated()
    {
        Device.Validated();
        Require.That(SearchThreads is >= 1 and <= 1024, nameof(SearchThreads), SearchThreads, "1 to 1,024");
        Require.That(QueriesInFlight is >= 1 and <= 1024, nameof(QueriesInFlight), QueriesInFlight, "1 to 1,024");
        Require.That(MaxQueuedQueries is >= 1 and <= 1_000_000, nameof(MaxQueuedQueries), MaxQueuedQueries, "1 to 1,000,000");
        Require.That(CacheBytes >= 0, nameof(CacheBytes), CacheBytes, "0 or more");
        Require.That(CachePolicy is CachePolicy.Static or CachePolicy.Adaptive, nameof(CachePolicy), CachePolicy, "Static or Adaptive");
        Require.That(ReadCostUs is null or (>= 0 and <= 1_000_000), nameof(ReadCostUs), ReadCostUs, "0 to 1,000,000");
        bool isTimeout = ReadTimeout > TimeSpan.Zero && ReadTimeout <= TimeSpan.FromHours(1);
        Require.That(isTimeout, nameof(ReadTimeout), ReadTimeout, "above 0, at most an hour");
        return this;
    }
}
