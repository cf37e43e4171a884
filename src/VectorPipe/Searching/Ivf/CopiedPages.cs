using System.Diagnostics;
using VectorPipe.Devices.Native;

namespace VectorPipe.Searching.Ivf;

/// <summary>
/// Room for copies of cached pages between the time at which a query asks for them ahead and that at which it takes them in: in the same
/// order, so a ring.
/// </summary>
/// <remarks>Not thread-safe. Freed by <see cref="Dispose"/>.</remarks>
internal sealed unsafe class CopiedPages : IDisposable
{
    // A query that finds everything in memory has no use for looking far ahead.
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

    /// <summary>Whether there is room for another page.</summary>
    public bool HasRoom => _taken < _places;

    /// <summary>Room for the next page, if there is any.</summary>
    public byte* Room => _memory is null ? null : _memory.Pointer + ((nint)((_first + _taken) % _places) * _pageSize);

    /// <summary>Takes the next place if that is where a page was copied to.</summary>
    public void Take(byte* found)
    {
        if (_memory is null || !HasRoom || found != Room)
            return;
        _taken++;
    }

    /// <summary>Gives the place of a page back if it has one; places come back in the order in which they were taken.</summary>
    public void Release(byte* page)
    {
        if (_taken == 0 || page < _memory!.Pointer || page >= _memory.Pointer + (nint)_memory.Length)
            return;
        Debug.Assert(page == _memory.Pointer + ((nint)_first * _pageSize), "pages are taken in in the order in which they were asked for");
        _first = (_first + 1) % _places;
        _taken--;
    }

    /// <summary>Gives all places back.</summary>
    public void Clear() => _taken = 0;

    public void Dispose() => _memory?.Dispose();
}
