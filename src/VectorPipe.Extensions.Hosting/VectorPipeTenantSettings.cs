namespace VectorPipe.Extensions.Hosting;

/// <summary>A part of the engine of a host for collections that belong together, see <see cref="VectorPipeEngine.CreateTenant"/>.</summary>
public sealed class VectorPipeTenantSettings
{
    /// <summary>Searches and look-ups of its collections that may wait for a run thread, 1 to 1,000,000. Default: 4,096.</summary>
    /// <remarks>One more is refused with a <see cref="SearchOverloadedException"/>.</remarks>
    public int MaxQueuedQueries { get; set; } = 4096;

    /// <summary>Most bytes of codes, graphs, keys and caches of its collections, 1 or more. Default: null, no limit.</summary>
    public long? MemoryLimitBytes { get; set; }

    internal VectorPipeTenantOptions ToOptions(string name) => new()
    {
        Name = name,
        MaxQueuedQueries = MaxQueuedQueries,
        MemoryLimitBytes = MemoryLimitBytes,
    };
}
