using VectorPipe.Devices.Native;
using VectorPipe.Searching.Index;

namespace VectorPipe.Searching.Caching;

/// <summary>All pages of a file in one block of memory, by number: a hit needs no look-up, copy or check.</summary>
/// <remarks>Filled once, before it is shared. Thread-safe from then on.</remarks>
internal sealed unsafe class ResidentCache : IPageCache
{
    private readonly NativeBuffer _memory;
    private readonly byte* _first;
    private readonly nint _pageSize;
    private readonly LookupCounters _counters = new();

    /// <param name="memory">The verified pages, one after another; owned from here on.</param>
    /// <param name="pageSize">Bytes of a page.</param>
    public ResidentCache(NativeBuffer memory, int pageSize)
    {
        _memory = memory;
        _first = memory.Pointer;
        _pageSize = pageSize;
    }

    public CacheStatistics Statistics => new()
    {
        IsResident = true,
        Pages = (long)_memory.Length / _pageSize,
        Bytes = (long)_memory.Length,
        Hits = _counters.Hits,
    };

    public bool GivesCopies => false;

    public byte* Find(uint page, byte* room) => FindMany(page, 1);

    /// <summary>The pages from one on, one after another.</summary>
    public byte* FindMany(uint first, int count)
    {
        _counters.Hit(count);
        return _first + first * _pageSize;
    }

    public void Offer(uint page, byte* bytes)
    {
        // All pages are here.
    }

    public void Dispose() => _memory.Dispose();
}
