using VectorPipe.Devices;

namespace VectorPipe.Searching;

/// <summary>Copies of the pages that one query has read: they outlive the ops that brought them, so that a node whose page is here is never read again.</summary>
/// <remarks>Grows in blocks that never move, and is kept from query to query. Not thread-safe.</remarks>
internal sealed unsafe class PageArena : IDisposable
{
    private const int PagesPerBlock = 64;

    private readonly int _pageSize;
    private readonly List<NativeBuffer> _blocks = [];
    private int _used;

    public PageArena(int pageSize) => _pageSize = pageSize;

    /// <summary>Makes sure that there is room for a number of pages.</summary>
    public void Reserve(int pages)
    {
        while (_blocks.Count * PagesPerBlock < pages)
            _blocks.Add(new NativeBuffer((nuint)PagesPerBlock * (nuint)_pageSize));
    }

    /// <summary>Takes all pages back.</summary>
    public void Clear() => _used = 0;

    /// <summary>Room for a page, valid until <see cref="Clear"/>.</summary>
    public byte* Take()
    {
        byte* room = Next();
        _used++;
        return room;
    }

    /// <summary>What <see cref="Take"/> gives next, not yet taken.</summary>
    public byte* Next()
    {
        Reserve(_used + 1);
        return _blocks[_used / PagesPerBlock].Pointer + (nint)(_used % PagesPerBlock) * _pageSize;
    }

    /// <summary>Frees the memory.</summary>
    public void Dispose()
    {
        foreach (NativeBuffer block in _blocks)
            block.Dispose();
        _blocks.Clear();
    }
}
