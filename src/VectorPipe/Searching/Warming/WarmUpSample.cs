using VectorPipe.Searching.Calibrating;
using VectorPipe.Searching.Index;

namespace VectorPipe.Searching.Warming;

/// <summary>Finds the pages that queries read most often, with queries made from the index's own vectors.</summary>
/// <remarks>Deterministic: the same index and number of queries name the same pages.</remarks>
internal static class WarmUpSample
{
    private const int QueriesInFlight = 32;
    private const int K = 10;

    /// <summary>The pages that a sample of queries reads, most often read first.</summary>
    /// <param name="index">The index.</param>
    /// <param name="pages">The pages that count; they have no cache.</param>
    /// <param name="queries">Most queries.</param>
    /// <param name="most">Most pages.</param>
    /// <param name="progress">Receives the queries done, and their number; may be null.</param>
    /// <param name="cancellationToken">Observed between reads.</param>
    /// <exception cref="IndexCorruptException">A page is damaged.</exception>
    /// <exception cref="DeviceException">A read failed.</exception>
    public static uint[] MostWanted(
        SearchIndex index, PageSet pages, int queries, int most, Action<long, long>? progress, CancellationToken cancellationToken)
    {
        using var counter = new PageCounter(pages.Count);
        int count = (int)Math.Min(queries, index.Schema.Count);
        if (count == 0)
            return [];
        switch (index.Schema.ElementType)
        {
            case VectorElementType.Float32:
                Search<float>(index, pages, counter, count, progress, cancellationToken);
                break;
            case VectorElementType.Float16:
                Search<Half>(index, pages, counter, count, progress, cancellationToken);
                break;
            case VectorElementType.UInt8:
                Search<byte>(index, pages, counter, count, progress, cancellationToken);
                break;
            default:
                Search<sbyte>(index, pages, counter, count, progress, cancellationToken);
                break;
        }

        return counter.MostWanted(most);
    }

    private static void Search<T>(
        SearchIndex index, PageSet pages, PageCounter counter, int count, Action<long, long>? progress, CancellationToken cancellationToken)
        where T : unmanaged
    {
        // The searches and look-ups that make the queries do not count.
        T[][] queries;
        using (SearchSession session = Open(index))
            queries = SyntheticQueries<T>.Make(session, index, count, cancellationToken);

        using SearchSession searches =
            Open(index.WithCaches([.. index.CacheableSets.Select(set => set == pages ? counter : index.CacheOf(set))]));
        int k = (int)Math.Min(K, index.Schema.Count);
        var hits = new SearchHit[SyntheticQueries<T>.BlockQueries * k];
        SearchOptions options = index.Kind.WarmUpOptions(index);
        int done = 0;
        foreach (T[] block in queries)
        {
            searches.SearchMany<T>(block, k, hits, [], options, cancellationToken);
            done += block.Length / index.Schema.Dimension;
            progress?.Invoke(done, count);
        }
    }

    private static SearchSession Open(SearchIndex index) => new(index, QueriesInFlight, static () => { });
}
