using System.Diagnostics;
using VectorPipe.Devices.Native;

namespace VectorPipe.Searching.Ivf;

/// <summary>A ring of copies of cached pages that a query has looked up ahead and not taken in.</summary>
/// <remarks>Not thread-safe.</remarks>
internal sealed unsafe class CopiedPages : IDisposable
{
    // A query that finds all pages in memory need not look far ahead.
    private const int MostPages = 16;
    private const int MostBytes = 1 << 18;

    private readonly NativeBuffer? _memory;
    private readonly int _pageSize;
    private readonly int _places;
    private int _first;
    private int _taken;

    /// <param name="pageSize">Bytes of the largest page; 0 if no cache gives copies.</param>
    public CopiedPages(int pageSize)
    {
        _pageSize = pageSize;
        if (pageSize == 0)
            return;
        _places = Math.Clamp(MostBytes / pageSize, 2, MostPages);
        _memory = new NativeBuffer((nuint)_places * (nuint)pageSize);
    }

    public bool HasRoom => _taken < _places;

    /// <summary>Room for the next page, if there is any.</summary>
    public byte* Room => _memory is null ? null : _memory.Pointer + ((nint)((_first + _taken) % _places) * _pageSize);

    /// <summary>Takes the next place if a page was copied there.</summary>
    public void Take(byte* found)
    {
        if (HasRoom && found == Room)
            _taken++;
    }

    /// <summary>Frees the place of a page if it has one; places are freed in the order in which they were taken.</summary>
    public void Release(byte* page)
    {
        if (_taken == 0 || page < _memory!.Pointer || page >= _memory.Pointer + (nint)_memory.Length)
            return;
        Debug.Assert(page == _memory.Pointer + ((nint)_first * _pageSize), "pages are taken in in the order in which they were looked up");
        _first = (_first + 1) % _places;
        _taken--;
    }

    public void Clear() => _taken = 0;

    public void Dispose() => _memory?.Dispose();
}
