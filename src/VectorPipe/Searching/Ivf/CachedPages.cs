using VectorPipe.Searching.Caching;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.State;

namespace VectorPipe.Searching.Ivf;

/// <summary>The pages of a file, their cache, and those that a cursor keeps for the query. Not thread-safe.</summary>
internal sealed unsafe class CachedPages(PageSet set, IPageCache? cache)
{
    private readonly ResidentCache? _resident = cache as ResidentCache;
    private KeptPages? _kept;

    public PageSet Set { get; } = set;

    /// <summary>Whether <see cref="Find"/> copies pages, and needs room for them.</summary>
    public bool GivesCopies => cache is { GivesCopies: true };

    /// <summary>Begins a query.</summary>
    /// <param name="kept">Pages that earlier searches for it have read; null for none.</param>
    public void Begin(KeptPages? kept) => _kept = _resident is null ? kept : null;

    /// <summary>Pages to look up together: one if each may be cached or not, else as many as lie together and are not kept.</summary>
    /// <param name="first">The first page.</param>
    /// <param name="most">The most pages that a read takes.</param>
    public uint Together(uint first, uint most)
    {
        if (cache is not null && _resident is null)
            return 1;
        if (_kept is null)
            return most;
        uint count = 0;
        while (count < most && _kept.Find(Set.File, first + count) is null)
            count++;
        return Math.Max(1, count);
    }

    /// <summary>Looks up pages that lie one after another. Null if they are not in memory.</summary>
    /// <param name="first">The first page.</param>
    /// <param name="count">At most <see cref="Together"/>.</param>
    /// <param name="room">Room for a copy.</param>
    public byte* Find(uint first, int count, byte* room)
    {
        if (_resident is not null)
            return _resident.FindMany(first, count);
        if (_kept is { } pages && pages.Find(Set.File, first) is var kept && kept is not null)
            return kept;
        return cache is null ? null : cache.Find(first, room);
    }

    public void Offer(uint page, byte* bytes)
    {
        cache?.Offer(page, bytes);
        _kept?.Offer(Set.File, page, bytes, Set.PageSize);
    }
}
