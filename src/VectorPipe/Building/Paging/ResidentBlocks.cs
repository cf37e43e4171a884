using System.Diagnostics;

namespace VectorPipe.Building.Paging;

/// <summary>The blocks in memory, in no order, each with its place in the slots of its region.</summary>
/// <remarks>Not thread-safe: used under the lock of the <see cref="PagedMemory"/>.</remarks>
internal sealed class ResidentBlocks
{
    // Evict the least recently used of so many random blocks: close to LRU without maintaining a list.
    private const int Draws = 12;

    private readonly List<(PagedRegion Region, int Block)> _blocks = [];
    private ulong _random = 0x9E3779B97F4A7C15;

    public int Count => _blocks.Count;

    public (PagedRegion Region, int Block) this[int slot] => _blocks[slot];

    public void Add(PagedRegion region, int block, long state)
    {
        Debug.Assert(region.State(block) < 0, "a block enters once");
        region.Slots[block] = _blocks.Count;
        _blocks.Add((region, block));
        region.Change(block, state);
    }

    /// <summary>Drops a block; the caller sets its state.</summary>
    public void Remove(PagedRegion region, int block)
    {
        int slot = region.Slots[block];
        Debug.Assert(_blocks[slot] == (region, block), "the list of resident blocks and the slots agree");
        (PagedRegion lastRegion, int lastBlock) = _blocks[^1];
        _blocks[slot] = _blocks[^1];
        lastRegion.Slots[lastBlock] = slot;
        _blocks.RemoveAt(_blocks.Count - 1);
    }

    /// <summary>Draws a block with a state below a bound, nearly the lowest of all.</summary>
    public bool TryDraw(long bound, out PagedRegion? region, out int block, out long state)
    {
        (region, block, state) = (null, 0, bound);
        for (int i = 0; i < Draws && _blocks.Count > 0; i++)
        {
            _random ^= _random << 13;
            _random ^= _random >> 7;
            _random ^= _random << 17;
            (PagedRegion drawn, int drawnBlock) = _blocks[(int)((uint)(_random >> 32) % (uint)_blocks.Count)];
            long drawnState = drawn.State(drawnBlock);
            if (drawnState >= 0 && drawnState < state)
                (region, block, state) = (drawn, drawnBlock, drawnState);
        }

        return region is not null;
    }

    [Conditional("DEBUG")]
    public void AssertInvariants()
    {
        for (int slot = 0; slot < _blocks.Count; slot++)
        {
            (PagedRegion region, int block) = _blocks[slot];
            Debug.Assert(region.Slots[block] == slot, "the list of resident blocks and the slots agree");
            Debug.Assert(region.State(block) >= 0, "a block in the list is in memory");
        }
    }
}
