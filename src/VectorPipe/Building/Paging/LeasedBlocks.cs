namespace VectorPipe.Building.Paging;

/// <summary>The blocks that a lease holds: its own thread adds and clears, any thread may look.</summary>
/// <remarks>
/// A block is added before its state is raised, and an evicting thread reads the state before it looks here: either it finds the block, or
/// its change of the state fails. A look during a clear and refill may mix both fillings; by the same rule that costs a retry, never a
/// block.
/// </remarks>
internal sealed class LeasedBlocks
{
    private (PagedRegion Region, int Block)[] _blocks = new (PagedRegion, int)[64];
    private int _count;

    /// <summary>Blocks added since the last <see cref="Clear"/>. For the lease's thread only.</summary>
    public int Count => _count;

    /// <summary>Adds a block; duplicates do no harm. For the lease's thread only.</summary>
    public void Add(PagedRegion region, int block)
    {
        if (_count == _blocks.Length)
        {
            // Publish the longer list before the count: a thread that reads the count first then finds a list as long.
            (PagedRegion Region, int Block)[] longer = new (PagedRegion, int)[2 * _count];
            _blocks.CopyTo(longer, 0);
            Volatile.Write(ref _blocks, longer);
        }

        _blocks[_count] = (region, block);
        Volatile.Write(ref _count, _count + 1);
    }

    /// <summary>Releases all blocks, after the writes to them. For the lease's thread only.</summary>
    public void Clear() => Volatile.Write(ref _count, 0);

    public bool Contains(PagedRegion region, int block)
    {
        int count = Volatile.Read(ref _count);
        (PagedRegion Region, int Block)[] blocks = Volatile.Read(ref _blocks);
        for (int i = 0; i < count; i++)
        {
            if (blocks[i].Block == block && blocks[i].Region == region)
                return true;
        }

        return false;
    }
}
