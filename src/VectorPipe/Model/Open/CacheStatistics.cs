namespace VectorPipe;

/// <summary>Pages that an open index keeps in memory, and the reads that they saved.</summary>
/// <remarks>
/// Over all queries and look-ups since the index was opened. Each count is exact; during searches they are of different moments.
/// </remarks>
public readonly record struct CacheStatistics
{
    /// <summary>Whether all pages of searches are in memory: searches read nothing from the device.</summary>
    public bool IsResident { get; init; }

    /// <summary>Pages held.</summary>
    public long Pages { get; init; }

    /// <summary>Bytes of memory of the cache, with its free pages and its index.</summary>
    public long Bytes { get; init; }

    /// <summary>Requests for a page that the cache held.</summary>
    public long Hits { get; init; }

    /// <summary>Requests for a page that had to be read.</summary>
    public long Misses { get; init; }

    /// <summary>Pages that were evicted.</summary>
    public long Evictions { get; init; }

    /// <summary>The sum of two caches.</summary>
    internal static CacheStatistics Sum(CacheStatistics a, CacheStatistics b) => new()
    {
        IsResident = a.IsResident && b.IsResident,
        Pages = a.Pages + b.Pages,
        Bytes = a.Bytes + b.Bytes,
        Hits = a.Hits + b.Hits,
        Misses = a.Misses + b.Misses,
        Evictions = a.Evictions + b.Evictions,
    };

    /// <summary>Share of requests that the cache served, 0 to 1; 0 before the first.</summary>
    public double HitRate => Hits + Misses == 0 ? 0 : (double)Hits / (Hits + Misses);
}
