using VectorPipe.Devices.Native;

namespace VectorPipe.Searching.Graph;

/// <summary>Copies of the pages that one query has read: they outlive the ops that brought them, so that a node whose page is here is
/// never read again.</summary>
/// <remarks>Grows in blocks that never move. Blocks up to a bound stay for the next query; <see cref="Clear"/> frees the others. Not
/// thread-safe.</remarks>
internal sealed unsafe class PageArena : IDisposable
{
    /// <summary>Pages whose memory stays allocated from query to query.</summary>
    public const int MostKept = 1024;

    private const int PagesPerBlock = 64;

    private readonly int _pageSize;
    private readonly List<NativeBuffer> _blocks = [];
    private int _used;

    public PageArena(int pageSize) => _pageSize = pageSize;

    /// <summary>Bytes allocated.</summary>
    public long MemoryBytes => (long)_blocks.Count * PagesPerBlock * _pageSize;

    /// <summary>Makes sure that there is room for a number of pages.</summary>
    /// <exception cref="OutOfMemoryException">There is no memory for them.</exception>
    public void Reserve(int pages)
    {
        while (_blocks.Count * PagesPerBlock < pages)
            _blocks.Add(new NativeBuffer((nuint)PagesPerBlock * (nuint)_pageSize));
    }

    /// <summary>Takes all pages back, and frees the blocks beyond <see cref="MostKept"/> pages.</summary>
    public void Clear()
    {
        _used = 0;
        while (_blocks.Count * PagesPerBlock > MostKept)
        {
            _blocks[^1].Dispose();
            _blocks.RemoveAt(_blocks.Count - 1);
        }
    }

    /// <summary>Room for a page, valid until <see cref="Clear"/>.</summary>
    /// <exception cref="OutOfMemoryException">There is no memory for it.</exception>
    public byte* Take()
    {
        byte* room = Next();
        _used++;
        return room;
    }

    /// <summary>Room for a page, as <see cref="Take"/> returns it, without taking it.</summary>
    /// <exception cref="OutOfMemoryException">There is no memory for it.</exception>
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
