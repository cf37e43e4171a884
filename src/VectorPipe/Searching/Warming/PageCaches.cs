using VectorPipe.Model.Open;
using VectorPipe.Searching.Caching;
using VectorPipe.Searching.Index;

namespace VectorPipe.Searching.Warming;

/// <summary>Divides a budget of memory between the caches of an index.</summary>
internal static class PageCaches
{
    // More queries change the hit rate little: see docs/decisions.md#cache.
    private const int PagesPerQuery = 8;
    private const int LeastQueries = 64;
    private const int MostQueries = 1024;

    /// <summary>Makes a cache for each of the cacheable sets of an open index, in their order; null for none.</summary>
    /// <param name="index">The index, without caches.</param>
    /// <param name="policy">Which pages stay if not all fit.</param>
    /// <param name="budgetBytes">Most bytes of memory. A file that fits is kept whole; the next file gets the rest.</param>
    /// <param name="progress">Receives a phase ("warm-up": queries of the sample; "cache": pages), its work done, and its work in all; may
    /// be null.</param>
    /// <param name="cancellationToken">Observed between reads.</param>
    /// <exception cref="IndexCorruptException">A page is damaged.</exception>
    /// <exception cref="DeviceException">A read failed.</exception>
    public static IPageCache?[] Fill(
        SearchIndex index, CachePolicy policy, long budgetBytes, Action<string, long, long>? progress, CancellationToken cancellationToken)
    {
        List<IPageCache?> caches = [];
        try
        {
            IReadOnlyList<PageSet> sets = index.CacheableSets;
            foreach (PageSet pages in sets)
            {
                // The queries that warm this cache up read through the caches before it.
                SearchIndex soFar = index.WithCaches([.. caches, .. new IPageCache?[sets.Count - caches.Count]]);
                IPageCache? cache = Create(soFar, pages, policy, budgetBytes, progress, cancellationToken);
                caches.Add(cache);
                budgetBytes -= cache?.Statistics.Bytes ?? 0;
            }

            return [.. caches];
        }
        catch
        {
            foreach (IPageCache? cache in caches)
                cache?.Dispose();
            throw;
        }
    }

    // Null if the budget holds no page.
    private static IPageCache? Create(
        SearchIndex index, PageSet pages, CachePolicy policy, long budgetBytes, Action<string, long, long>? progress,
        CancellationToken cancellationToken)
    {
        Action<long, long>? loading = progress is null ? null : (done, total) => progress("cache", done, total);
        if (index.Schema.HasRoom)
            policy = CachePolicy.Adaptive;
        else if (budgetBytes >= pages.FileBytes)
            return ResidentLoader.Load(index, pages, loading, cancellationToken);
        int overhead = policy == CachePolicy.Adaptive ? AdaptiveCache.OverheadBytes : StaticCache.OverheadBytes;
        int capacity = (int)Math.Min(budgetBytes / (pages.PageSize + overhead), pages.Count);
        if (capacity == 0)
            return null;
        if (policy == CachePolicy.Adaptive)
            return new AdaptiveCache(capacity, pages.PageSize);
        Action<long, long>? warming = progress is null ? null : (done, total) => progress("warm-up", done, total);
        int queries = Math.Clamp(capacity / PagesPerQuery, LeastQueries, MostQueries);
        uint[] ranked = WarmUpSample.MostWanted(index, pages, queries, capacity, warming, cancellationToken);
        return StaticCacheFiller.Fill(index, pages, capacity, ranked, loading, cancellationToken);
    }
}
