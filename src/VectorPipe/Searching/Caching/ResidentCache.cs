using VectorPipe.Devices.Native;
using VectorPipe.Searching.Index;

namespace VectorPipe.Searching.Caching;

/// <summary>All pages of a file in one block of memory, by number: a hit needs no look-up, copy or check.</summary>
/// <remarks>Filled once, before it is shared. Thread-safe from then on.</remarks>
/// <param name="memory">The verified pages, one after another; owned from here on.</param>
/// <param name="pageSize">Bytes of a page.</param>
internal sealed unsafe class ResidentCache(NativeBuffer memory, int pageSize) : IPageCache
{
    private readonly byte* _first = memory.Pointer;
    private readonly LookupCounters _counters = new();

    public CacheStatistics Statistics => new()
    {
        IsResident = true,
        Pages = (long)memory.Length / pageSize,
        Bytes = (long)memory.Length,
        Hits = _counters.Hits,
    };

    public bool GivesCopies => false;

    public byte* Find(uint page, byte* room) => FindMany(page, 1);

    /// <summary>The pages from one on, one after another.</summary>
    public byte* FindMany(uint first, int count)
    {
        _counters.Hit(count);
        return _first + first * pageSize;
    }

    public void Offer(uint page, byte* bytes)
    {
        // All pages are here.
    }

    public void Dispose() => memory.Dispose();
}
