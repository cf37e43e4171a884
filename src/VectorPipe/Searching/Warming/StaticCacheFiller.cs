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

    private readonly SearchIndex _index = index;
    private readonly PageSet _pages = pages;
    private readonly StaticCache _cache = cache;
    private readonly Action<long, long>? _progress = progress;
    private readonly CancellationToken _cancellationToken = cancellationToken;

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
        while (level.Count > 0 && _cache.Count < _cache.Capacity)
        {
            Load(level, session);
            level = NextLevel(level, seen);
        }
    }

    private void Load(IEnumerable<uint> pages, PendingIoSession session)
    {
        var source = new PageSetSource(_pages, Placed(pages), "filling the page cache");
        using var stream = new ReadStream(session, source, new ReadStreamOptions { MaxReads = ReadsInFlight - 1, CombineLimit = 1 });
        while (stream.TryGetNext(out ReadBuffer page, _cancellationToken))
        {
            page.Bytes.CopyTo(new Span<byte>(_cache.PlaceOf((uint)page.State), _pages.PageSize));
            int loaded = _cache.Count - stream.Buffered;
            if (loaded % PagesPerReport != 0 && stream.Buffered > 0)
                continue;
            _cancellationToken.ThrowIfCancellationRequested();
            _progress?.Invoke(loaded, _cache.Capacity);
        }

        _cancellationToken.ThrowIfCancellationRequested();
    }

    // Takes a place for each page until none is left: the stream asks ahead, so places are taken before their pages are read.
    private IEnumerable<uint> Placed(IEnumerable<uint> pages)
    {
        foreach (uint page in pages)
        {
            if (_cache.Count == _cache.Capacity)
                yield break;
            if (_cache.TryPlace(page))
                yield return page;
        }
    }

    // Pages without a place lead nowhere: then the cache is full.
    private List<uint> NextLevel(List<uint> level, HashSet<uint> seen)
    {
        uint nodesPerPage = (uint)_index.Layout.NodesPerPage;
        var next = new List<uint>();
        uint[] links = new uint[Math.Max(_index.Layout.MaxListLength, NodeLayout.MaxLinks)];
        foreach (uint number in level)
        {
            byte* bytes = _cache.PlaceOf(number);
            if (bytes is null)
                continue;
            var page = new NodePage(bytes, _index.Layout);
            for (int slot = 0; slot < page.Count; slot++)
            {
                if (!page.TryReadLinks(slot, _index.NodeCount, links))
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
