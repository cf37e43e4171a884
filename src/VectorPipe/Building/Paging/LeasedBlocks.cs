namespace VectorPipe.Building.Paging;

/// <summary>The blocks that a lease holds: its own thread adds and clears, any thread may look.</summary>
/// <remarks>
/// A block is added before its state is raised, and whoever wants to take a block away reads its state before it looks here: either it
/// finds the block, or its change of the
/// state fails. What is read while it is cleared and filled anew may be of both fillings; by the same rule that costs a try, never a block.
/// </remarks>
internal sealed class LeasedBlocks
{
    private (PagedRegion Region, int Block)[] _blocks = new (PagedRegion, int)[64];
    private int _count;

    /// <summary>How many were added since the last <see cref="Clear"/>. The lease's thread alone.</summary>
    public int Count => _count;

    /// <summary>Adds a block; twice does no harm. The lease's thread alone.</summary>
    public void Add(PagedRegion region, int block)
    {
        if (_count == _blocks.Length)
        {
            // First the longer list, then the count: whoever reads the count first finds a list as long.
            (PagedRegion Region, int Block)[] longer = new (PagedRegion, int)[2 * _count];
            _blocks.CopyTo(longer, 0);
            Volatile.Write(ref _blocks, longer);
        }

        _blocks[_count] = (region, block);
        Volatile.Write(ref _count, _count + 1);
    }

    /// <summary>Lets go of all. The lease's thread alone; what it wrote to the blocks before is seen by whoever finds them gone.</summary>
    public void Clear() => Volatile.Write(ref _count, 0);

    /// <summary>Whether a block is held.</summary>
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
