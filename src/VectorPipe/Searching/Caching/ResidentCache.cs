using VectorPipe.Devices.Native;
using VectorPipe.Searching.Index;

namespace VectorPipe.Searching.Caching;

/// <summary>
/// All pages of a file in one block of memory, at the place that their numbers say: nothing is looked up, copied or verified again.
/// </summary>
/// <remarks>Filled once, before it is shared. Thread-safe from then on.</remarks>
internal sealed unsafe class ResidentCache : IPageCache
{
    private readonly NativeBuffer _memory;
    private readonly byte* _first;
    private readonly nint _pageSize;
    private readonly LookupCounters _counters = new();

    /// <param name="memory">The pages, one after another, verified; the cache's own from now on.</param>
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

    public byte* Find(uint page, byte* room)
    {
        _counters.Hit();
        return _first + page * _pageSize;
    }

    /// <summary>Pages that lie one after another.</summary>
    /// <param name="first">The first page.</param>
    /// <param name="count">How many.</param>
    public byte* FindMany(uint first, int count)
    {
        _counters.Hit(count);
        return _first + first * _pageSize;
    }

    public void Offer(uint page, byte* bytes)
    {
        // A sample of an index is read past its cache; what it brings is here.
    }

    public void Dispose() => _memory.Dispose();
}
