namespace VectorPipe.Extensions.Hosting;

/// <summary>The engine that the collections of a host share, as configuration has it. It is validated when the host starts.</summary>
public sealed class VectorPipeEngineSettings
{
    /// <summary>Run threads of asynchronous searches, 1 to 1,024, started by the first one. Default: one a processor.</summary>
    public int SearchThreads { get; set; } = Environment.ProcessorCount;

    /// <summary>The device that reads the files of all collections. Default: Auto, io_uring where it works.</summary>
    public DeviceKind DeviceKind { get; set; } = DeviceKind.Auto;

    /// <summary>Searches and look-ups of all collections that may wait for a run thread, 1 to 1,000,000. Default: 4,096.</summary>
    /// <remarks>One more is refused with a <see cref="SearchOverloadedException"/>.</remarks>
    public int MaxQueuedQueries { get; set; } = 4096;

    /// <summary>Most bytes of codes, graphs, keys and caches of all collections, 1 or more. Default: null, no limit.</summary>
    /// <remarks>See <see cref="VectorPipeEngineOptions.MemoryLimitBytes"/> for what counts.</remarks>
    public long? MemoryLimitBytes { get; set; }

    /// <summary>Parts of the engine by name, for collections that name one (<see cref="VectorCollectionSettings.Tenant"/>). Default:
    /// none.</summary>
    /// <remarks>Tenants take turns on the run threads, however many collections each has, and have limits of their own.</remarks>
    public IDictionary<string, VectorPipeTenantSettings> Tenants { get; } =
        new Dictionary<string, VectorPipeTenantSettings>(StringComparer.Ordinal);

    internal VectorPipeEngineOptions ToOptions() => new()
    {
        SearchThreads = SearchThreads,
        DeviceKind = DeviceKind,
        MaxQueuedQueries = MaxQueuedQueries,
        MemoryLimitBytes = MemoryLimitBytes,
    };
}
