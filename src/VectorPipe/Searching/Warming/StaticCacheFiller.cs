using VectorPipe.Pipeline;
using VectorPipe.Pipeline.Streams;
using VectorPipe.Searching.Caching;
using VectorPipe.Searching.Index;
using VectorPipe.Storage.Nodes;

namespace VectorPipe.Searching.Warming;

/// <summary>Fills a static cache with ranked pages, then breadth first from the entry points or, without links, front to back.</summary>
/// <remarks>One fill by one thread.</remarks>
internal sealed unsafe class StaticCacheFiller(
    SearchIndex index, PageSet pages, StaticCache cache, Action<long, long>? progress, CancellationToken cancellationToken)
{
    private const int ReadsInFlight = 64;
    private const int PagesPerReport = 16;

    /// <summary>Makes a cache of pages of an open index.</summary>
    /// <param name="index">The index.</param>
    /// <param name="pages">The file's pages.</param>
    /// <param name="capacity">Pages of the cache; at least 1.</param>
    /// <param name="ranked">Most useful pages, in order.</param>
    /// <param name="progress">Receives the pages done, and their number; may be null.</param>
    /// <param name="cancellationToken">Observed between reads.</param>
    /// <exception cref="IndexCorruptException">A page is damaged.</exception>
    /// <exception cref="DeviceException">A read failed.</exception>
    public static StaticCache Fill(
        SearchIndex index, PageSet pages, int capacity, IEnumerable<uint> ranked, Action<long, long>? progress,
        CancellationToken cancellationToken)
    {
        var cache = new StaticCache(capacity, pages.PageSize);
        try
        {
            using var session =
                new PendingIoSession(index.Device, index.Reads with { Capacity = ReadsInFlight, BufferBytes = pages.PageSize });
            var filler = new StaticCacheFiller(index, pages, cache, progress, cancellationToken);
            filler.Load(ranked, session);
            if (index.EntryPages is { } entries)
                filler.LoadBreadthFirst(entries, session);
            else
                filler.Load(pages.Numbers, session);
            return cache;
        }
        catch
        {
            cache.Dispose();
            throw;
        }
    }

    private void LoadBreadthFirst(IEnumerable<uint> entries, PendingIoSession session)
    {
        var seen = new HashSet<uint>();
        List<uint> level = [.. entries.Where(seen.Add)];
        while (level.Count > 0 && cache.Count < cache.Capacity)
        {
            Load(level, session);
            level = NextLevel(level, seen);
        }
    }

    private void Load(IEnumerable<uint> numbers, PendingIoSession session)
    {
        var source = new PageSetSource(pages, Placed(numbers), "filling the page cache");
        using var stream = new ReadStream(session, source, new ReadStreamOptions { MaxReads = ReadsInFlight - 1, CombineLimit = 1 });
        while (stream.TryGetNext(out ReadBuffer page, cancellationToken))
        {
            page.Bytes.CopyTo(new Span<byte>(cache.PlaceOf((uint)page.State), pages.PageSize));
            int loaded = cache.Count - stream.Buffered;
            if (loaded % PagesPerReport != 0 && stream.Buffered > 0)
                continue;
            cancellationToken.ThrowIfCancellationRequested();
            progress?.Invoke(loaded, cache.Capacity);
        }

        cancellationToken.ThrowIfCancellationRequested();
    }

    // Takes a place for each page until none is left: the stream asks ahead, so places are taken before their pages are read.
    private IEnumerable<uint> Placed(IEnumerable<uint> numbers)
    {
        foreach (uint page in numbers)
        {
            if (cache.Count == cache.Capacity)
                yield break;
            if (cache.TryPlace(page))
                yield return page;
        }
    }

    // Pages without a place lead nowhere: then the cache is full.
    private List<uint> NextLevel(List<uint> level, HashSet<uint> seen)
    {
        uint nodesPerPage = (uint)index.Layout.NodesPerPage;
        var next = new List<uint>();
        uint[] links = new uint[Math.Max(index.Layout.MaxListLength, NodeLayout.MaxLinks)];
        foreach (uint number in level)
        {
            byte* bytes = cache.PlaceOf(number);
            if (bytes is null)
                continue;
            var page = new NodePage(bytes, index.Layout);
            for (int slot = 0; slot < page.Count; slot++)
            {
                if (!page.TryReadLinks(slot, index.NodeCount, links))
                    continue;
                foreach (uint link in links.AsSpan(0, page.LinkCount(slot)))
                {
                    if (seen.Add(link / nodesPerPage))
                        next.Add(link / nodesPerPage);
                }
            }
        }

        return next;
    }
}
