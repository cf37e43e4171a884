using VectorPipe.Searching.Index;

namespace VectorPipe.Searching.Warming;

/// <summary>A cache that keeps nothing and counts how often each page is wanted.</summary>
/// <remarks>For the searches of one thread.</remarks>
internal sealed unsafe class PageCounter : IPageCache
{
    private readonly uint[] _counts;
    private long _wanted;

    /// <param name="pages">Pages of the file.</param>
    public PageCounter(long pages) => _counts = new uint[pages];

    public CacheStatistics Statistics => new() { Misses = _wanted };

    public bool GivesCopies => false;

    public byte* Find(uint page, byte* room)
    {
        _counts[page]++;
        _wanted++;
        return null;
    }

    public void Offer(uint page, byte* bytes)
    {
        // What is wanted was counted when it was asked for.
    }

    /// <summary>The pages that were wanted, most often wanted first; of equals, the one with the lowest number.</summary>
    /// <param name="most">Most pages to name.</param>
    public uint[] MostWanted(int most)
    {
        uint[] pages = [.. Enumerable.Range(0, _counts.Length).Where(page => _counts[page] > 0).Select(page => (uint)page)];

        // A stable order: the same sample chooses the same pages.
        return [.. pages.OrderByDescending(page => _counts[page]).Take(most)];
    }

    public void Dispose()
    {
        // Holds nothing but counts.
    }
}
