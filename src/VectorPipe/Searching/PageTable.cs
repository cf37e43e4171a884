using System.Numerics;
using System.Runtime.CompilerServices;

namespace VectorPipe.Searching;

/// <summary>Pages that a query knows of, and where their bytes are: no page is read twice in a query.</summary>
/// <remarks>Open addressing with linear probing, half full at most. Not thread-safe.
/// AggressiveOptimization: see <see cref="CandidatePool"/>.</remarks>
internal sealed unsafe class PageTable
{
    private const uint Empty = uint.MaxValue;

    private uint[] _pages = new uint[512];
    private nint[] _bytes = new nint[512];
    private PageState[] _states = new PageState[512];
    private int _count;

    public PageTable() => _pages.AsSpan().Fill(Empty);

    /// <summary>Makes sure that a number of pages can be noted without an allocation. Forgets everything if there is more to reserve.</summary>
    public void Reserve(int pages)
    {
        int size = (int)BitOperations.RoundUpToPowerOf2((uint)pages * 2);
        if (size <= _pages.Length)
            return;
        Resize(size);
    }

    /// <summary>Forgets everything.</summary>
    public void Clear()
    {
        _pages.AsSpan().Fill(Empty);
        _count = 0;
    }

    /// <summary>Looks a page up.</summary>
    /// <param name="page">The page.</param>
    /// <param name="bytes">Its bytes if it is here.</param>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public PageState Get(uint page, out byte* bytes)
    {
        uint at = Find(page);
        bytes = (byte*)_bytes[at];
        return _pages[at] == page ? _states[at] : PageState.Unknown;
    }

    /// <summary>Notes what has become of a page.</summary>
    /// <param name="page">The page.</param>
    /// <param name="state">Its state.</param>
    /// <param name="bytes">Its bytes if it is here.</param>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public void Set(uint page, PageState state, byte* bytes = null)
    {
        uint at = Find(page);
        if (_pages[at] == Empty)
        {
            _pages[at] = page;
            _count++;
        }

        _states[at] = state;
        _bytes[at] = (nint)bytes;
        if (_count > _pages.Length / 2)
            Grow();
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private uint Find(uint page)
    {
        uint mask = (uint)_pages.Length - 1;
        uint at = (page * 0x9E37_79B1u) >> (32 - BitOperations.Log2((uint)_pages.Length));
        while (_pages[at & mask] != Empty && _pages[at & mask] != page)
            at++;
        return at & mask;
    }

    private void Grow()
    {
        uint[] pages = _pages;
        nint[] bytes = _bytes;
        PageState[] states = _states;
        Resize(pages.Length * 2);
        for (int i = 0; i < pages.Length; i++)
        {
            if (pages[i] != Empty)
                Set(pages[i], states[i], (byte*)bytes[i]);
        }
    }

    private void Resize(int size)
    {
        _pages = new uint[size];
        _bytes = new nint[size];
        _states = new PageState[size];
        Clear();
    }
}
