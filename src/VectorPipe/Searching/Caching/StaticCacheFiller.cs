using VectorPipe.Devices;
using VectorPipe.Pipeline;
using VectorPipe.Storage;

namespace VectorPipe.Searching.Caching;

/// <summary>Fills a static cache: with pages by rank, then, breadth first from where searches enter, with what room is left for.</summary>
/// <remarks>One fill by one thread.</remarks>
internal sealed unsafe class StaticCacheFiller : IPendingIoOwner
{
    private const int ReadsInFlight = 64;

    private readonly SearchIndex _index;
    private readonly StaticCache _cache;
    private readonly Action<long, long>? _progress;
    private readonly CancellationToken _cancellationToken;
    private Exception? _error;

    private StaticCacheFiller(SearchIndex index, StaticCache cache, Action<long, long>? progress, CancellationToken cancellationToken)
    {
        _index = index;
        _cache = cache;
        _progress = progress;
        _cancellationToken = cancellationToken;
    }

    /// <summary>Makes a cache.</summary>
    /// <param name="index">The index; its device is open.</param>
    /// <param name="capacity">Pages; at least 1.</param>
    /// <param name="ranked">Pages that are wanted most, the first before all others.</param>
    /// <param name="progress">Told the pages done, and how many there will be; may be null.</param>
    /// <param name="cancellationToken">Observed between reads.</param>
    /// <exception cref="IndexCorruptException">A page is damaged.</exception>
    /// <exception cref="DeviceException">A read failed.</exception>
    public static StaticCache Fill(SearchIndex index, int capacity, IEnumerable<uint> ranked, Action<long, long>? progress, CancellationToken cancellationToken)
    {
        var cache = new StaticCache(capacity, index.Layout.PageSize);
        try
        {
            using var session = new PendingIoSession(index.Device, index.Reads with { Capacity = ReadsInFlight, BufferBytes = index.Layout.PageSize });
            var filler = new StaticCacheFiller(index, cache, progress, cancellationToken);
            filler.Load(ranked, session);
            filler.LoadBreadthFirst(session);
            return cache;
        }
        catch
        {
            cache.Dispose();
            throw;
        }
    }

    /// <inheritdoc/>
    public PendingIoOutcome OnRead(PendingIoContext op)
    {
        uint page = (uint)op.Tag;
        try
        {
            _index.Verify(page, op.Pointer);
        }
        catch (IndexCorruptException e)
        {
            _error ??= e;
        }

        op.Bytes.CopyTo(new Span<byte>(_cache.PlaceOf(page), _index.Layout.PageSize));
        return PendingIoOutcome.Done;
    }

    /// <inheritdoc/>
    public void OnReadFailed(PendingIoContext op, Exception error) =>
        _error ??= new DeviceException($"{_index.NodePath}, page {op.Tag + 1}: filling the page cache failed: {error.Message}", error);

    private void LoadBreadthFirst(PendingIoSession session)
    {
        uint nodesPerPage = (uint)_index.Layout.NodesPerPage;
        uint[] entries = _index.Entries;
        var seen = new HashSet<uint>();
        List<uint> level = [.. entries.Select(id => id / nodesPerPage).Where(seen.Add)];
        while (level.Count > 0 && _cache.Count < _cache.Capacity)
        {
            Load(level, session);
            level = NextLevel(level, seen);
        }
    }

    private void Load(IEnumerable<uint> pages, PendingIoSession session)
    {
        foreach (uint page in pages)
        {
            if (_error is not null || _cache.Count == _cache.Capacity)
                break;
            if (!_cache.TryPlace(page))
                continue;
            while (_error is null && !session.TryIssue(SearchIndex.NodesFile, _index.PageOffset(page), _index.Layout.PageSize, this, 0, page))
                Turn(session);
        }

        while (session.Pending > 0 && _error is null)
            Turn(session);
        _cancellationToken.ThrowIfCancellationRequested();
        if (_error is not null)
            throw _error;
    }

    private void Turn(PendingIoSession session)
    {
        _cancellationToken.ThrowIfCancellationRequested();
        if (session.Drain(TimeSpan.FromMilliseconds(10)) > 0)
            _progress?.Invoke(_cache.Count - session.Pending, _cache.Capacity);
    }

    // Pages of the level for which there was no room lead nowhere: all room is taken.
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
