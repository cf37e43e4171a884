namespace VectorPipe;

/// <summary>The limits of a part of an engine, see <see cref="VectorPipeEngine.CreateTenant"/>. Immutable.</summary>
public sealed record VectorPipeTenantOptions
{
    /// <summary>What the tenant is called in metrics and errors. Default: null, nothing.</summary>
    public string? Name { get; init; }

    /// <summary>Searches and look-ups of all its indexes that may wait for a run thread, 1 to 1,000,000. Default: 4,096.</summary>
    /// <remarks>
    /// One more is refused with a <see cref="SearchOverloadedException"/>. Each counts against
    /// <see cref="VectorPipeEngineOptions.MaxQueuedQueries"/> of the engine, too, and against
    /// <see cref="OpenOptions.MaxQueuedQueries"/> of its index.
    /// </remarks>
    public int MaxQueuedQueries { get; init; } = 4096;

    /// <summary>Most bytes of codes, graphs, keys and caches of the tenant's open indexes, 1 or more. Default: null, no limit.</summary>
    /// <remarks>
    /// An index beyond it is not opened (<see cref="MemoryLimitException"/>); nor is one beyond
    /// <see cref="VectorPipeEngineOptions.MemoryLimitBytes"/> of the engine, which says what counts.
    /// </remarks>
    public long? MemoryLimitBytes { get; init; }
}
