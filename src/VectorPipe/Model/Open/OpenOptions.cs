using Microsoft.Extensions.Logging;
using VectorPipe.Devices;
using VectorPipe.Model.Errors;
using VectorPipe.Model.Open;

namespace VectorPipe;

/// <summary>How an index is opened. Immutable.</summary>
public sealed record OpenOptions
{
    /// <summary>Vectors of a small collection: a scan computes about as many distances as a walk scores codes.</summary>
    internal const int DefaultExactUpTo = 4096;

    /// <summary>The defaults.</summary>
    public static OpenOptions Default { get; } = new();

    /// <summary>The device that reads the files. Default: that of the engine, if it says one; io_uring where it works, else the portable
    /// device.</summary>
    public DeviceKind DeviceKind
    {
        get => Device.Kind;
        init => Device = Device with { Kind = value };
    }

    /// <summary>Opens a device of the program's own: another store, or files that it decrypts. Default: null.</summary>
    /// <remarks>
    /// Takes paths in the directory of the index, and returns a device that has a file for each, in this order, with the bytes that a build
    /// wrote. It is called by the thread that opens, once for each file that is loaded into memory and once for all that searches read; the
    /// index disposes what it returns. <see cref="DefaultDevice"/> opens the device to wrap. Only the manifest is read past it. A
    /// collection, which also writes, refuses it.
    /// </remarks>
    public Func<IReadOnlyList<string>, IDevice>? OpenDevice { get; init; }

    /// <summary>The device, with settings for benchmarks and tests.</summary>
    internal DeviceOptions Device { get; init; } = DeviceOptions.Default;

    /// <summary>Run threads and memory that the index shares with others: an engine, or a tenant of one. Default: null, threads of its
    /// own.</summary>
    public VectorPipeEngine? Engine { get; init; }

    /// <summary>Run threads of asynchronous searches, 1 to 1,024, started by the first one. Default: null, one a processor.</summary>
    /// <remarks>Those of an <see cref="Engine"/> are the engine's: both together are refused.</remarks>
    public int? SearchThreads { get; init; }

    /// <summary>Queries in flight on a run thread or in a session, 1 to 1,024; further ones wait. Default: 16.</summary>
    public int QueriesInFlight { get; init; } = 16;

    /// <summary>Searches and look-ups of the index that may wait for a place on the run threads, 1 to 1,000,000. Default: 4,096.</summary>
    /// <remarks>
    /// One more is refused with a <see cref="SearchOverloadedException"/>. Those in flight and those of sessions do not count; a batch
    /// waits instead of being refused.
    /// </remarks>
    public int MaxQueuedQueries { get; init; } = 4096;

    /// <summary>Most bytes of memory for a cache of pages, beside codes and sessions. Default: 0, no cache.</summary>
    /// <remarks>
    /// As many bytes as the node file has make the index resident: opening reads and verifies all pages, searches read none. What the files
    /// of a collection's index leave is for pages of its records, which searches read for string and Guid keys, attributes and payloads.
    /// </remarks>
    public long CacheBytes { get; init; }

    /// <summary>Which pages are kept within a budget that does not hold all. Default: static.</summary>
    internal CachePolicy CachePolicy { get; init; }

    /// <summary>Microseconds of device time that a read costs, 0 to 1,000,000: 12.5 at 80,000 reads a second. Default: null.</summary>
    /// <remarks>
    /// Where reads are dear, searches of a graph compute more to save some; answers differ a little. Null measures it when the index is
    /// opened, with some milliseconds of reads, if the node file has 256 MiB or more; a resident index counts as 0. The
    /// run threads share the device.
    /// </remarks>
    public double? ReadCostUs { get; init; }

    /// <summary>Whether searches that aim at a recall follow the queries that come. Default: false.</summary>
    /// <remarks>
    /// An index is calibrated with queries like its vectors; others, such as texts in an index of images, find less than was aimed at. With
    /// this option, 256 of the asynchronous searches that aim at a recall, the default included, and have no filter are sampled, and
    /// searched exactly in the background. What their searches find and read replaces the calibration in memory, for sessions and cursors,
    /// too. Such a round reads all vectors about once for every eight queries; rounds take at most one second in 128, one in eight after
    /// a rebuild, and the first begins with the 256th search. The index forgets it when it is closed: <see
    /// cref="VectorIndex.CalibrateAsync(string, VectorSource, IProgress{BuildProgress}, ILoggerFactory, CancellationToken)"/> stores a
    /// calibration.
    /// </remarks>
    public bool FollowQueries { get; init; }

    /// <summary>Rounds of <see cref="FollowQueries"/> take at most one in this many seconds; 1 or more.</summary>
    internal int FollowShare { get; init; } = 128;

    /// <summary>Queries of a round, 1 or more: of 256 recall comes out within about 0.7 points.</summary>
    internal int FollowedQueries { get; init; } = 256;

    /// <summary>Time after which a read has failed, above 0, at most an hour. Default: 30 seconds.</summary>
    public TimeSpan ReadTimeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>Receives log messages; null for none.</summary>
    public ILoggerFactory? LoggerFactory { get; init; }

    /// <summary>Receives the progress of filling the cache; null for none.</summary>
    internal IProgress<BuildProgress>? Progress { get; init; }

    /// <summary>Least bytes of a node file to measure a read in: reads of a small file are not random reads of the disk.</summary>
    internal long ReadCostLeastBytes { get; init; } = 256L << 20;

    /// <summary>Most vectors of a collection that default options search exactly; 0 for none.</summary>
    internal long ExactUpTo { get; init; } = DefaultExactUpTo;

    /// <summary>The run threads that serve the index.</summary>
    internal int Threads => Engine?.Options.SearchThreads ?? SearchThreads ?? Environment.ProcessorCount;

    /// <summary>The options, checked, with the device of the engine.</summary>
    /// <exception cref="ArgumentException">An option is out of its range, or two exclude each other.</exception>
    internal OpenOptions Validated()
    {
        Device.Validated();
        if (Engine is not null && SearchThreads is not null)
        {
            throw new ArgumentException(
                $"Expected {nameof(SearchThreads)} or an {nameof(Engine)}, which has threads of its own, found both.",
                nameof(SearchThreads));
        }

        if (OpenDevice is not null && DeviceKind != DeviceKind.Auto)
        {
            throw new ArgumentException($"Expected {nameof(OpenDevice)} or a {nameof(DeviceKind)}, found both.", nameof(DeviceKind));
        }

        Require.That(SearchThreads is null or (>= 1 and <= 1024), nameof(SearchThreads), SearchThreads, "1 to 1,024");
        Require.That(QueriesInFlight is >= 1 and <= 1024, nameof(QueriesInFlight), QueriesInFlight, "1 to 1,024");
        Require.That(MaxQueuedQueries is >= 1 and <= 1_000_000, nameof(MaxQueuedQueries), MaxQueuedQueries, "1 to 1,000,000");
        Require.That(CacheBytes >= 0, nameof(CacheBytes), CacheBytes, "0 or more");
        Require.That(CachePolicy is CachePolicy.Static or CachePolicy.Adaptive, nameof(CachePolicy), CachePolicy, "Static or Adaptive");
        Require.That(ReadCostUs is null or (>= 0 and <= 1_000_000), nameof(ReadCostUs), ReadCostUs, "0 to 1,000,000");
        bool isTimeout = ReadTimeout > TimeSpan.Zero && ReadTimeout <= TimeSpan.FromHours(1);
        Require.That(isTimeout, nameof(ReadTimeout), ReadTimeout, "above 0, at most an hour");
        return Engine is { } engine && OpenDevice is null && DeviceKind == DeviceKind.Auto
            ? this with { DeviceKind = engine.Options.DeviceKind }
            : this;
    }
}
