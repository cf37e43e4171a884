using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace VectorPipe.Searching.State;

/// <summary>Verified pages that a series of searches for one query has read, so that the next one does not read them again.</summary>
/// <remarks>
/// Managed memory that does not move, so it needs no disposal. A page stays until all are forgotten; when it is full, further pages are
/// not kept. Not thread-safe: one search at a time.
/// </remarks>
/// <param name="pageSize">Bytes of a page, a multiple of four.</param>
/// <param name="mostBytes">The most bytes of pages.</param>
internal sealed unsafe class KeptPages(int pageSize, long mostBytes)
{
    private const int BlockBytes = 1 << 18;

    private readonly int _pagesPerBlock = Math.Max(1, BlockBytes / pageSize);
    private readonly Dictionary<uint, int> _at = [];
    private readonly List<byte[]> _blocks = [];

    /// <summary>Pages.</summary>
    public int Count => _at.Count;

    /// <summary>Bytes of memory for pages.</summary>
    public long Bytes => (long)_blocks.Count * _pagesPerBlock * pageSize;

    /// <summary>The page at a place; null if it is not here. Valid until all are forgotten.</summary>
    public byte* Find(uint place) => _at.TryGetValue(place, out int at) ? PointerTo(at) : null;

    /// <summary>Keeps a copy of a page if there is room.</summary>
    public void Offer(uint place, byte* bytes)
    {
        int at = _at.Count;
        if ((long)(at + 1) * pageSize > mostBytes || !_at.TryAdd(place, at))
            return;
        if (at == _blocks.Count * _pagesPerBlock)
            _blocks.Add(GC.AllocateUninitializedArray<byte>(_pagesPerBlock * pageSize, pinned: true));
        Unsafe.CopyBlock(PointerTo(at), bytes, (uint)pageSize);
        AssertInvariants();
    }

    /// <summary>Forgets all pages: their places may have got others.</summary>
    public void Clear()
    {
        _at.Clear();
        _blocks.Clear();
    }

    private byte* PointerTo(int at) =>
        (byte*)Unsafe.AsPointer(ref _blocks[at / _pagesPerBlock][0]) + ((nint)(at % _pagesPerBlock) * pageSize);

    [Conditional("DEBUG")]
    private void AssertInvariants() => Debug.Assert(
        _at.Count <= _blocks.Count * _pagesPerBlock && (long)_at.Count * pageSize <= mostBytes, "every page has its room");
}
