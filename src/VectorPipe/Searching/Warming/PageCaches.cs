using VectorPipe.Model.Open;
using VectorPipe.Searching.Caching;
using VectorPipe.Searching.Index;

namespace VectorPipe.Searching.Warming;

/// <summary>Decides what a budget of memory is used for.</summary>
internal static class PageCaches
{
    // A million vectors in the merged layout, a budget of 5 %: 508, 2,000 and 8,000 queries find hit rates of 5.7, 6.0 and 6.4 %, and
    // opening takes in proportion to them.
    private const int PagesPerQuery = 8;
    private const int LeastQueries = 64;
    private const int MostQueries = 1024;

    /// <summary>Makes the caches of an index.</summary>
    /// <param name="index">The index; its device is open, and it has no cache yet.</param>
    /// <param name="policy">What is kept if not everything can be.</param>
    /// <param name="budgetBytes">Most bytes of memory; a file is kept whole if it fits, and the next one gets what is left.</param>
    /// <param name="progress">Told a phase ("warm-up": queries of the sample; "cache": pages), how much of it is done, and how much there
    /// is; may be null.</param>
    /// <param name="cancellationToken">Observed between reads.</param>
    /// <returns>A cache for each of the index's cacheable sets, in their order; null for none.</returns>
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
                // What warms this cache up reads through those before it.
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

    // Nothing if the budget holds no page.
    private static IPageCache? Create(
        SearchIndex index, PageSet pages, CachePolicy policy, long budgetBytes, Action<string, long, long>? progress,
        CancellationToken cancellationToken)
    {
        Action<long, long>? loading = progress is null ? null : (done, total) => progress("cache", done, total);
        if (budgetBytes >= pages.FileBytes)
            return ResidentLoader.Load(index, pages, loading, cancellationToken);
        int overhead = policy == CachePolicy.Adaptive ? AdaptiveCache.OverheadBytes : StaticCache.OverheadBytes;
        int capacity = (int)Math.Min(budgetBytes / (pages.PageSize + overhead), pages.Count);
        if (capacity == 0)
            return null;
        if (policy == CachePolicy.Adaptive)
            return new AdaptiveCache(capacity, pages.PageSize);
        int queries = Math.Clamp(capacity / PagesPerQuery, LeastQueries, MostQueries);
        uint[] ranked = WarmUpSample.MostWanted(
            index, pages, queries, capacity, progress is null
            ? null
            : (done, total) => progress("warm-up", done, total), cancellationToken);
        return StaticCacheFiller.Fill(index, pages, capacity, ranked, loading, cancellationToken);
    }
}
