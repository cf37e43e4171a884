using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace VectorPipe.Searching.State;

/// <summary>Links to new nodes that pages will get when they are rewritten, <see cref="GraphChanges.LinkBytes"/> each.</summary>
/// <remarks>
/// All links lie in one array, one page's after another's: an array for each page outlived the next collection, and was most of what the
/// collector had to move while writes came in. One thread changes an object, and nobody else reads it meanwhile.
/// </remarks>
internal sealed class WaitingLinks
{
    // Room of a page that gets its first link, in links; each time that it is full, it becomes twice as large.
    private const int LeastLinks = 10;

    private Block[] _blocks;
    private byte[] _links = [];
    private int _used;

    /// <param name="pages">Pages for which there is room.</param>
    public WaitingLinks(int pages) => _blocks = new Block[pages];

    /// <summary>The links of a page.</summary>
    public ReadOnlySpan<byte> this[uint page]
    {
        get
        {
            Block block = _blocks[page];
            return _links.AsSpan(block.Start, block.Length);
        }
    }

    /// <summary>Bytes of memory.</summary>
    public long MemoryBytes => ((long)_blocks.Length * Unsafe.SizeOf<Block>()) + _links.LongLength;

    /// <summary>Takes over the links of another object.</summary>
    /// <param name="other">The links.</param>
    /// <param name="pages">The first pages.</param>
    /// <param name="more">Links that are expected to come: each page has room for twice its share of them.</param>
    public void CopyFrom(WaitingLinks other, int pages, int more = 0)
    {
        int spare = checked((int)((2L * more / Math.Max(1, pages)) + Math.Sign(more))) * GraphChanges.LinkBytes;
        int length = 0;
        foreach (Block block in other._blocks.AsSpan(0, pages))
            length = checked(length + block.Length + spare);
        byte[] copied = GC.AllocateUninitializedArray<byte>(length);
        _used = 0;
        for (int page = 0; page < pages; page++)
        {
            ReadOnlySpan<byte> links = other[(uint)page];
            links.CopyTo(copied.AsSpan(_used));
            _blocks[page] = new Block(_used, links.Length, links.Length + spare);
            _used += links.Length + spare;
        }

        _links = copied;
        AssertInvariants();
    }

    /// <summary>Gives back the memory of links that were removed or moved, and of room for more.</summary>
    public void Trim() => CopyFrom(this, _blocks.Length);

    /// <summary>Adds links to a page.</summary>
    public void Add(uint page, ReadOnlySpan<byte> links)
    {
        ref Block block = ref _blocks[page];
        if (block.Length + links.Length > block.Room)
            Move(ref block, Math.Max(block.Length + links.Length, Math.Max(LeastLinks * GraphChanges.LinkBytes, 2 * block.Length)));
        links.CopyTo(_links.AsSpan(block.Start + block.Length, links.Length));
        block.Length += links.Length;
        Debug.Assert(block.Length <= block.Room && block.Start + block.Room <= _used, "the links of a page fit into its room");
    }

    /// <summary>Removes the links of a page.</summary>
    public void Clear(uint page) => _blocks[page].Length = 0;

    /// <summary>Makes room for more pages.</summary>
    public void Grow(int pages) => Array.Resize(ref _blocks, pages);

    // The room that the links leave stays unused until the next copy.
    private void Move(ref Block block, int room)
    {
        if (room > _links.Length - _used)
        {
            byte[] grown = GC.AllocateUninitializedArray<byte>(checked(_used + Math.Max(room, _used / 2)));
            _links.AsSpan(0, _used).CopyTo(grown);
            _links = grown;
        }

        _links.AsSpan(block.Start, block.Length).CopyTo(_links.AsSpan(_used));
        block = new Block(_used, block.Length, room);
        _used += room;
    }

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        Debug.Assert(_used <= _links.Length, "what is used is there");
        foreach (Block block in _blocks)
            Debug.Assert(block.Length <= block.Room && block.Start + block.Room <= _used, "the links of each page lie in what is used");
    }

    private struct Block(int start, int length, int room)
    {
        public int Start { get; } = start;

        public int Room { get; } = room;

        public int Length { get; set; } = length;
    }
}
