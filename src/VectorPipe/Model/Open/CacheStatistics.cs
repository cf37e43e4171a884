namespace VectorPipe;

/// <summary>What an open index keeps of its pages in memory, and how often that has saved a read.</summary>
/// <remarks>
/// Counted over all queries and look-ups since the index was opened. Every count is exact; while searches run they are not of one moment.
/// </remarks>
public readonly record struct CacheStatistics
{
    /// <summary>Whether all pages are in memory that searches read: they read nothing from the device.</summary>
    public bool IsResident { get; init; }

    /// <summary>Pages held.</summary>
    public long Pages { get; init; }

    /// <summary>Bytes of memory taken, for pages held, pages to come, and knowing which is where.</summary>
    public long Bytes { get; init; }

    /// <summary>Pages that were wanted and found here.</summary>
    public long Hits { get; init; }

    /// <summary>Pages that were wanted and had to be read.</summary>
    public long Misses { get; init; }

    /// <summary>Pages that made room for others.</summary>
    public long Evictions { get; init; }

    /// <summary>What two caches hold and have saved together.</summary>
    internal static CacheStatistics Sum(CacheStatistics a, CacheStatistics b) => new()
    {
        IsResident = a.IsResident && b.IsResident,
        Pages = a.Pages + b.Pages,
        Bytes = a.Bytes + b.Bytes,
        Hits = a.Hits + b.Hits,
        Misses = a.Misses + b.Misses,
        Evictions = a.Evictions + b.Evictions,
    };

    /// <summary>The share of wanted pages that were found here, 0 to 1; 0 before the first.</summary>
    public double HitRate => Hits + Misses == 0 ? 0 : (double)Hits / (Hits + Misses);
}
