using VectorPipe.Devices;
using VectorPipe.Pipeline;
using VectorPipe.Storage;

namespace VectorPipe.Searching;

/// <summary>Verified pages around the entry point, held in memory: what nearly every query reads first.</summary>
/// <remarks>Filled once, before it is shared; reading only from then on, by any number of threads.</remarks>
internal sealed unsafe class PageCache : IPendingIoOwner, IDisposable
{
    private readonly SearchIndex _index;
    private readonly Dictionary<uint, nint> _pages = [];
    private readonly NativeBuffer _memory;
    private readonly int _capacity;
    private Exception? _error;

    private PageCache(SearchIndex index, int capacity)
    {
        _index = index;
        _capacity = capacity;
        _memory = new NativeBuffer((nuint)capacity * (nuint)index.Layout.PageSize);
    }

    /// <summary>Pages held.</summary>
    public int Count => _pages.Count;

    /// <summary>Reads pages breadth first from the entry point until the budget is used up.</summary>
    /// <returns>The cache; null if the budget holds no page.</returns>
    /// <exception cref="IndexCorruptException">A page is damaged.</exception>
    /// <exception cref="DeviceException">A read failed.</exception>
    public static PageCache? Fill(SearchIndex index, long budgetBytes)
    {
        int capacity = (int)Math.Min(budgetBytes / index.Layout.PageSize, index.Layout.PageCount(index.Schema.Count));
        if (capacity == 0)
            return null;
        var cache = new PageCache(index, capacity);
        try
        {
            using var session = new PendingIoSession(index.Device, index.Reads with { Capacity = 64, BufferBytes = index.Layout.PageSize });
            cache.Load(session);
            return cache;
        }
        catch
        {
            cache.Dispose();
            throw;
        }
    }

    /// <summary>Looks a page up.</summary>
    public bool TryGet(uint page, out byte* bytes)
    {
        bool found = _pages.TryGetValue(page, out nint address);
        bytes = (byte*)address;
        return found;
    }

    /// <inheritdoc/>
    public PendingIoOutcome OnRead(PendingIoContext op)
    {
        uint page = (uint)op.Tag;
        _index.Verify(page, op.Pointer);
        op.Bytes.CopyTo(new Span<byte>((byte*)_pages[page], _index.Layout.PageSize));
        return PendingIoOutcome.Done;
    }

    /// <inheritdoc/>
    public void OnReadFailed(PendingIoContext op, Exception error) => _error ??= error;

    /// <summary>Frees the pages.</summary>
    public void Dispose() => _memory.Dispose();

    private void Load(PendingIoSession session)
    {
        uint nodesPerPage = (uint)_index.Layout.NodesPerPage;
        var level = new List<uint>();
        Want((uint)(_index.Schema.EntryPoint / nodesPerPage), level);
        while (level.Count > 0 && _error is null)
        {
            foreach (uint page in level)
            {
                while (_error is null && !session.TryIssue(SearchIndex.NodesFile, _index.PageOffset(page), _index.Layout.PageSize, this, 0, page))
                    session.Drain(TimeSpan.FromMilliseconds(10));
            }

            while (session.Pending > 0)
                session.Drain(TimeSpan.FromMilliseconds(10));
            if (_error is not null)
                throw new DeviceException($"{_index.NodePath}: filling the page cache failed: {_error.Message}", _error);
            level = NextLevel(level, nodesPerPage);
        }
    }

    private List<uint> NextLevel(List<uint> level, uint nodesPerPage)
    {
        var next = new List<uint>();
        uint[] links = new uint[_index.Layout.MaxListLength];
        foreach (uint number in level)
        {
            var page = new NodePage((byte*)_pages[number], _index.Layout);
            for (int slot = 0; slot < page.Count; slot++)
            {
                if (!page.TryReadLinks(slot, _index.NodeCount, links))
                    continue;
                foreach (uint link in links.AsSpan(0, page.LinkCount(slot)))
                    Want(link / nodesPerPage, next);
            }
        }

        return next;
    }

    private void Want(uint page, List<uint> level)
    {
        if (_pages.Count < _capacity && _pages.TryAdd(page, (nint)(_memory.Pointer + (nint)_pages.Count * _index.Layout.PageSize)))
            level.Add(page);
    }
}
