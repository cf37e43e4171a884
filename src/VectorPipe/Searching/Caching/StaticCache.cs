using VectorPipe.Devices.Native;
using VectorPipe.Searching.Index;

namespace VectorPipe.Searching.Caching;

/// <summary>Pages that are chosen when the index is opened.</summary>
/// <remarks>Filled once, before it is shared. Thread-safe from then on.</remarks>
/// <param name="capacity">Most pages; 1 or more.</param>
/// <param name="pageSize">Bytes of a page.</param>
internal sealed unsafe class StaticCache(int capacity, int pageSize) : IPageCache
{
    /// <summary>Bytes beside each page: its entry in the table.</summary>
    public const int OverheadBytes = 32;

    private readonly Dictionary<uint, nint> _pages = new(capacity);
    private readonly NativeBuffer _memory = new((nuint)capacity * (nuint)pageSize);
    private readonly LookupCounters _counters = new();

    public int Capacity { get; } = capacity;

    /// <summary>Pages that have a place.</summary>
    public int Count => _pages.Count;

    public CacheStatistics Statistics => new()
    {
        Pages = Count,
        Bytes = (long)_memory.Length + ((long)Capacity * OverheadBytes),
        Hits = _counters.Hits,
        Misses = _counters.Misses,
    };

    public bool GivesCopies => false;

    public byte* Find(uint page, byte* room)
    {
        if (_pages.TryGetValue(page, out nint address))
            _counters.Hit();
        else
            _counters.Miss();
        return (byte*)address;
    }

    public void Offer(uint page, byte* bytes)
    {
        // The pages were chosen before.
    }

    /// <summary>While it is filled: gives a page its place.</summary>
    /// <returns>False if it has one, or none is left.</returns>
    public bool TryPlace(uint page) => Count < Capacity && _pages.TryAdd(page, (nint)(_memory.Pointer + (nint)Count * pageSize));

    /// <summary>While it is filled: the place of a page; null if it has none.</summary>
    public byte* PlaceOf(uint page) => (byte*)_pages.GetValueOrDefault(page);

    public void Dispose() => _memory.Dispose();
}
