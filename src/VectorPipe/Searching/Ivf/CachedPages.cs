using VectorPipe.Searching.Caching;
using VectorPipe.Searching.Index;

namespace VectorPipe.Searching.Ivf;

/// <summary>The pages of a file, and what holds some of them in memory.</summary>
/// <remarks>Thread-safe, as the cache is.</remarks>
internal sealed unsafe class CachedPages
{
    private readonly IPageCache? _cache;
    private readonly ResidentCache? _resident;

    /// <param name="set">The pages.</param>
    /// <param name="cache">Holds some of them, or all; null if none is held.</param>
    public CachedPages(PageSet set, IPageCache? cache)
    {
        Set = set;
        _cache = cache;
        _resident = cache as ResidentCache;
    }

    /// <summary>The pages.</summary>
    public PageSet Set { get; }

    /// <summary>Whether what is found is a copy, for which room is needed.</summary>
    public bool GivesCopies => _cache is { GivesCopies: true };

    /// <summary>Pages that are asked for together: where each may be here or not, one.</summary>
    /// <param name="most">As many as a read takes.</param>
    public uint Together(uint most) => _cache is null || _resident is not null ? most : 1;

    /// <summary>Looks pages up that lie one after another.</summary>
    /// <param name="first">The first page.</param>
    /// <param name="count">How many; one unless all pages are here, or none.</param>
    /// <param name="room">Room for a copy.</param>
    /// <returns>The verified bytes; null if they are not here.</returns>
    public byte* Find(uint first, int count, byte* room)
    {
        if (_resident is not null)
            return _resident.FindMany(first, count);
        return _cache is null ? null : _cache.Find(first, room);
    }

    /// <summary>Offers a page that was read and verified.</summary>
    public void Offer(uint page, byte* bytes) => _cache?.Offer(page, bytes);
}
