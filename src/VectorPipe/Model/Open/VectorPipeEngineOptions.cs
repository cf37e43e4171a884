namespace VectorPipe;

/// <summary>What the indexes and collections of an engine share. Immutable.</summary>
public sealed record VectorPipeEngineOptions
{
    /// <summary>Run threads of asynchronous searches, 1 to 1,024, started by the first one. Default: one a processor.</summary>
    public int SearchThreads { get; init; } = Environment.ProcessorCount;

    /// <summary>The device of indexes and collections whose own <see cref="OpenOptions.DeviceKind"/> is Auto. Default: Auto.</summary>
    public DeviceKind DeviceKind { get; init; } = DeviceKind.Auto;

    /// <summary>Searches and look-ups of all indexes that may wait for a run thread, 1 to 1,000,000. Default: 4,096.</summary>
    /// <remarks>
    /// One more is refused with a <see cref="SearchOverloadedException"/>. How many of them one index may have is
    /// <see cref="OpenOptions.MaxQueuedQueries"/>.
    /// </remarks>
    public int MaxQueuedQueries { get; init; } = 4096;

    /// <summary>Most bytes of codes, graphs, keys and caches of all open indexes, 1 or more. Default: null, no limit.</summary>
    /// <remarks>
    /// An index beyond it is not opened (<see cref="MemoryLimitException"/>). A collection that is rebuilt needs the memory of two
    /// indexes until the new one is in force. Writes that wait have limits of their own, and run threads need up to 5 MiB each for each of
    /// the indexes that they serve at a time.
    /// </remarks>
    public long? MemoryLimitBytes { get; init; }
}
