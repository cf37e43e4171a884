using System.Buffers.Binary;
using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using VectorPipe.Numerics;

namespace VectorPipe.Searching.State;

/// <summary>Links to new nodes that pages will get when they are rewritten.</summary>
/// <remarks>
/// <para>All links lie in one array, one page's after another's: an array for each page outlived the next collection, and was most of what
/// the collector had to move while writes came in. One thread changes an object, and nobody else reads it meanwhile.</para>
/// <para>A link is a number, the target's id before the slot, while four bytes hold both; else the slot has a byte of its own.</para>
/// </remarks>
internal sealed class WaitingLinks
{
    // Room of a page that gets its first link, in links; each time that it is full, it becomes twice as large.
    private const int LeastLinks = 10;

    private readonly int _slotBits;
    private readonly int _linkBytes;
    private Block[] _blocks;
    private byte[] _links = [];
    private int _used;

    /// <param name="pages">Pages for which there is room.</param>
    /// <param name="nodesPerPage">Slots of a page.</param>
    /// <param name="mostNodes">Internal ids are below this, now and later.</param>
    public WaitingLinks(int pages, int nodesPerPage, long mostNodes)
    {
        _blocks = new Block[pages];
        _slotBits = BitOperations.Log2(BitOperations.RoundUpToPowerOf2((uint)nodesPerPage));
        _linkBytes = mostNodes <= 1L << (32 - _slotBits) ? sizeof(uint) : sizeof(uint) + 1;
    }

    /// <summary>The links of a page.</summary>
    public PageWaitingLinks this[uint page]
    {
        get
        {
            Block block = _blocks[page];
            return new PageWaitingLinks(_links.AsSpan(block.Start, block.Length), _linkBytes, _slotBits);
        }
    }

    /// <summary>Bytes of memory.</summary>
    public long MemoryBytes => ((long)_blocks.Length * Unsafe.SizeOf<Block>()) + _links.LongLength;

    /// <summary>Copies the targets of a page's links, and returns their number.</summary>
    /// <param name="page">The page.</param>
    /// <param name="targets">Room for them.</param>
    /// <param name="most">The most that are copied.</param>
    public unsafe int CopyTargets(uint page, uint* targets, int most)
    {
        Block block = _blocks[page];
        ReadOnlySpan<byte> bytes = _links.AsSpan(block.Start, Math.Min(block.Length, most * _linkBytes));
        int count = 0;
        if (_linkBytes == sizeof(uint))
        {
            foreach (uint link in MemoryMarshal.Cast<byte, uint>(bytes))
                targets[count++] = (BitConverter.IsLittleEndian ? link : BinaryPrimitives.ReverseEndianness(link)) >> _slotBits;
            return count;
        }

        for (int at = 0; at < bytes.Length; at += _linkBytes)
            targets[count++] = BinaryPrimitives.ReadUInt32LittleEndian(bytes[at..]);
        return count;
    }

    /// <summary>Prefetches the links of a page.</summary>
    public unsafe void Prefetch(uint page)
    {
        Block block = _blocks[page];
        if (!CachePrefetch.IsSupported || block.Length == 0)
            return;
        byte* first = (byte*)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(_links)) + block.Start;
        CachePrefetch.Line(first);
        CachePrefetch.Line(first + block.Length - 1);
    }

    /// <summary>Whether a page has links.</summary>
    public bool HasAny(uint page) => _blocks[page].Length > 0;

    /// <summary>Takes over the links of another object.</summary>
    /// <param name="other">The links, of a graph with pages of as many slots and as many nodes at most.</param>
    /// <param name="pages">The first pages.</param>
    /// <param name="more">Links that are expected to come: each page has room for twice its share of them.</param>
    public void CopyFrom(WaitingLinks other, int pages, int more = 0)
    {
        Debug.Assert(_slotBits == other._slotBits && _linkBytes == other._linkBytes, "links of both have one form");
        int spare = checked((int)((2L * more / Math.Max(1, pages)) + Math.Sign(more))) * _linkBytes;
        int length = 0;
        foreach (Block block in other._blocks.AsSpan(0, pages))
            length = checked(length + block.Length + spare);
        byte[] copied = GC.AllocateUninitializedArray<byte>(length);
        _used = 0;
        for (int page = 0; page < pages; page++)
        {
            Block block = other._blocks[page];
            other._links.AsSpan(block.Start, block.Length).CopyTo(copied.AsSpan(_used));
            _blocks[page] = new Block(_used, block.Length, block.Length + spare);
            _used += block.Length + spare;
        }

        _links = copied;
        AssertInvariants();
    }

    /// <summary>Gives back the memory of links that were removed or moved, and of room for more.</summary>
    public void Trim() => CopyFrom(this, _blocks.Length);

    /// <summary>Adds a link to a page.</summary>
    public void Add(uint page, WaitingLink link)
    {
        ref Block block = ref _blocks[page];
        if (block.Length + _linkBytes > block.Room)
            Move(ref block, Math.Max(LeastLinks * _linkBytes, 2 * block.Length));
        Put(_links.AsSpan(block.Start + block.Length, _linkBytes), link);
        block.Length += _linkBytes;
        Debug.Assert(block.Length <= block.Room && block.Start + block.Room <= _used, "the links of a page fit into its room");
        Debug.Assert(this[page][this[page].Count - 1] == link, "a link is what was added");
    }

    /// <summary>Gives links of a page other targets.</summary>
    /// <param name="page">The page.</param>
    /// <param name="first">The first of the links; those before it stay as they are.</param>
    /// <param name="targets">The other targets, by those that they had.</param>
    public void Retarget(uint page, int first, Dictionary<uint, uint> targets)
    {
        for (int at = first; at < this[page].Count; at++)
        {
            WaitingLink link = this[page][at];
            if (targets.TryGetValue(link.Target, out uint target))
                Put(_links.AsSpan(_blocks[page].Start + (at * _linkBytes), _linkBytes), link with { Target = target });
        }
    }

    /// <summary>Removes the links of a page.</summary>
    public void Clear(uint page) => _blocks[page].Length = 0;

    /// <summary>Makes room for more pages.</summary>
    public void Grow(int pages) => Array.Resize(ref _blocks, pages);

    private void Put(Span<byte> bytes, WaitingLink link)
    {
        uint number = link.Target;
        if (bytes.Length > sizeof(uint))
            bytes[^1] = (byte)link.Slot;
        else
            number = (number << _slotBits) | (uint)link.Slot;
        BinaryPrimitives.WriteUInt32LittleEndian(bytes, number);
    }

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
