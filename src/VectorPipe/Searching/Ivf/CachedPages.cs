using VectorPipe.Searching.Caching;
using VectorPipe.Searching.Index;

namespace VectorPipe.Searching.Ivf;

/// <summary>The pages of a file, and their cache. Thread-safe.</summary>
internal sealed unsafe class CachedPages(PageSet set, IPageCache? cache)
{
    private readonly ResidentCache? _resident = cache as ResidentCache;

    public PageSet Set { get; } = set;

    /// <summary>Whether <see cref="Find"/> copies pages, and needs room for them.</summary>
    public bool GivesCopies => cache is { GivesCopies: true };

    /// <summary>Pages to look up together: one if each may be cached or not, else as many as a read takes.</summary>
    public uint Together(uint most) => cache is null || _resident is not null ? most : 1;

    /// <summary>Looks up pages that lie one after another. Null if they are not cached.</summary>
    /// <param name="first">The first page.</param>
    /// <param name="count">At most <see cref="Together"/>.</param>
    /// <param name="room">Room for a copy.</param>
    public byte* Find(uint first, int count, byte* room)
    {
        if (_resident is not null)
            return _resident.FindMany(first, count);
        return cache is null ? null : cache.Find(first, room);
    }

    public void Offer(uint page, byte* bytes) => cache?.Offer(page, bytes);
}
