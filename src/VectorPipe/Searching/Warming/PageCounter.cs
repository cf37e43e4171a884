using VectorPipe.Searching.Index;

namespace VectorPipe.Searching.Warming;

/// <summary>An empty cache that counts how often each page is looked up. For the searches of one thread.</summary>
internal sealed unsafe class PageCounter(long pages) : IPageCache
{
    private readonly uint[] _counts = new uint[pages];
    private long _misses;

    public CacheStatistics Statistics => new() { Misses = _misses };

    public bool GivesCopies => false;

    public byte* Find(uint page, byte* room)
    {
        _counts[page]++;
        _misses++;
        return null;
    }

    public void Offer(uint page, byte* bytes)
    {
        // Find has counted the page.
    }

    /// <summary>The pages looked up most often, in order; of equals, the lowest number first.</summary>
    public uint[] MostWanted(int most)
    {
        // OrderByDescending is stable, so the same sample chooses the same pages.
        IEnumerable<int> pages = Enumerable.Range(0, _counts.Length).Where(page => _counts[page] > 0);
        return [.. pages.OrderByDescending(page => _counts[page]).Take(most).Select(page => (uint)page)];
    }

    public void Dispose()
    {
    }
}
