namespace VectorPipe;

/// <summary>The state of a collection at a moment.</summary>
public sealed record CollectionStatus
{
    /// <summary>Live records.</summary>
    public required long Count { get; init; }

    /// <summary>Writes since the last checkpoint or rebuild began, which wait in memory: every search scores them.</summary>
    public required long Waiting { get; init; }

    /// <summary>Bytes of memory that they take.</summary>
    public required long WaitingBytes { get; init; }

    /// <summary>Number of the generation in force; 0 before the first rebuild.</summary>
    public required long Generation { get; init; }

    /// <summary>Records of the generation, with those that waiting writes replaced or deleted.</summary>
    public required long GenerationCount { get; init; }

    /// <summary>Checkpoints since the generation was built: each took waiting writes into its pages.</summary>
    public required long Checkpoints { get; init; }

    /// <summary>Bytes of memory, without caches: codes, code book and links of the generation, its changes, and what waits for it or for
    /// the next one.</summary>
    public required long MemoryBytes { get; init; }

    /// <summary>Number of the newest group of writes. It grows with every group, and is never used twice.</summary>
    public required long Sequence { get; init; }

    /// <summary>The device that reads the index, or would read it if there were one, see <see cref="VectorIndex.DeviceName"/>.</summary>
    public string? DeviceName { get; init; }

    /// <summary>Why reads do not go through io_uring, see <see cref="VectorIndex.DeviceFallback"/>; null if they do.</summary>
    /// <remarks>Before there is an index, io_uring is set up once to find out; a file system may still refuse it later.</remarks>
    public string? DeviceFallback { get; init; }

    /// <summary>Why the device cannot read the index, see <see cref="VectorIndex.DeviceError"/>; null if it can.</summary>
    public DeviceException? DeviceError { get; init; }

    /// <summary>Whether a checkpoint, a rebuild or a backup is running.</summary>
    public required bool IsRebuilding { get; init; }

    /// <summary>Why the last checkpoint or rebuild that began by itself failed; null if it did not, or a later one succeeded.</summary>
    /// <remarks>Searches and writes go on. Insertions are refused once about 128 MiB wait, until one succeeds.</remarks>
    public Exception? RebuildError { get; init; }

    /// <summary>Whether writes wait until a checkpoint or a rebuild has taken in others: they came in faster than it goes.</summary>
    /// <remarks>Under a load of writes, this is so for moments. While it stays so, maintenance is behind. Searches go on.</remarks>
    public bool IsThrottled { get; init; }

    /// <summary>Whether writes are refused: the collection was opened for reading, or an error of the log made it read-only.</summary>
    public required bool IsReadOnly { get; init; }

    /// <summary>The error that made the collection read-only; null for none. Open it again to go on.</summary>
    public Exception? WriteError { get; init; }

    /// <summary>What searches found of the queries that came; null before it was measured, or if nothing follows them, see <see
    /// cref="OpenOptions.FollowQueries"/>.</summary>
    public QueryRecall? QueryRecall { get; init; }
}
