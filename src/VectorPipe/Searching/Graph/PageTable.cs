using VectorPipe.Searching.Pools;

namespace VectorPipe.Searching.Graph;

/// <summary>Pages that a query knows of, and where their bytes are: no page is read twice in a query.</summary>
/// <remarks>Not thread-safe.</remarks>
internal sealed unsafe class PageTable
{
    // Pages lie at multiples of four bytes, so the state takes the lowest bits of the address.
    private const nint StateBits = 3;

    private readonly IdTable<nint> _pages = new();

    /// <summary>Pages known.</summary>
    public int Count => _pages.Count;

    /// <summary>Makes sure that a number of pages can be noted without an allocation. Clears the table if memory has to be
    /// allocated.</summary>
    public void Reserve(int pages) => _pages.Reserve(pages);

    /// <summary>Removes everything.</summary>
    public void Clear() => _pages.Clear();

    /// <summary>Looks a page up.</summary>
    /// <param name="page">The page.</param>
    /// <param name="bytes">Its bytes if it is here.</param>
    public PageState Get(uint page, out byte* bytes)
    {
        if (!_pages.TryGet(page, out nint entry))
        {
            bytes = null;
            return PageState.Unknown;
        }

        bytes = (byte*)(entry & ~StateBits);
        return (PageState)(entry & StateBits);
    }

    /// <summary>Notes the state of a page.</summary>
    /// <param name="page">The page.</param>
    /// <param name="state">Its state.</param>
    /// <param name="bytes">Its bytes if it is here: an address that is a multiple of four.</param>
    public void Set(uint page, PageState state, byte* bytes = null)
    {
        System.Diagnostics.Debug.Assert(((nint)bytes & StateBits) == 0, "the lowest bits are free");
        _pages.Set(page, (nint)bytes | (nint)state);
    }
}
