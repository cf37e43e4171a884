using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace VectorPipe.Searching.State;

/// <summary>Verified pages that a series of searches for one query has read, so that the next one does not read them again.</summary>
/// <remarks>
/// Managed memory that does not move, so it needs no disposal. A page stays until all are forgotten; when it is full, further pages are
/// not kept. Not thread-safe: one search at a time.
/// </remarks>
/// <param name="pageSize">The most bytes of a page, a multiple of four.</param>
/// <param name="mostBytes">The most bytes of pages.</param>
internal sealed unsafe class KeptPages(int pageSize, long mostBytes)
{
    private const int BlockBytes = 1 << 18;

    private readonly int _pagesPerBlock = Math.Max(1, BlockBytes / pageSize);
    private readonly Dictionary<(int File, uint Place), int> _at = [];
    private readonly List<byte[]> _blocks = [];

    /// <summary>Pages.</summary>
    public int Count => _at.Count;

    /// <summary>Bytes of memory for pages.</summary>
    public long Bytes => (long)_blocks.Count * _pagesPerBlock * pageSize;

    /// <summary>The page at a place of a file; null if it is not here. Valid until all are forgotten.</summary>
    public byte* Find(int file, uint place) => _at.TryGetValue((file, place), out int at) ? PointerTo(at) : null;

    /// <summary>Keeps a copy of a page if there is room.</summary>
    /// <param name="file">Number of its file.</param>
    /// <param name="place">Its place in it.</param>
    /// <param name="bytes">The page.</param>
    /// <param name="length">Its bytes.</param>
    public void Offer(int file, uint place, byte* bytes, int length)
    {
        Debug.Assert(length <= pageSize, "a page fits");
        int at = _at.Count;
        if ((long)(at + 1) * pageSize > mostBytes || !_at.TryAdd((file, place), at))
            return;
        if (at == _blocks.Count * _pagesPerBlock)
            _blocks.Add(GC.AllocateUninitializedArray<byte>(_pagesPerBlock * pageSize, pinned: true));
        Unsafe.CopyBlock(PointerTo(at), bytes, (uint)length);
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
