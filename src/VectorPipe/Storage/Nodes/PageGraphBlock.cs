namespace VectorPipe.Storage.Nodes;

/// <summary>The links of a page in the page graph: a count in one byte, then a list, in a block of fixed size.</summary>
internal static unsafe class PageGraphBlock
{
    public const int MaxLinks = byte.MaxValue;

    /// <summary>Fewest bytes of a useful block.</summary>
    public const int LeastBytes = 8;

    public const int MaxBytes = 1024;

    /// <summary>Writes links, most valuable first, to a zeroed block while it has room, and returns their number.</summary>
    public static int Write(ReadOnlySpan<uint> ranked, uint nodes, Span<byte> block)
    {
        Span<uint> sorted = stackalloc uint[MaxLinks];
        for (int count = Math.Min(Math.Min(ranked.Length, MaxLinks), MostLinks(block.Length, nodes)); count > 0; count--)
        {
            ranked[..count].CopyTo(sorted);
            sorted[..count].Sort();
            if (EliasFanoCode.ByteLength(sorted[..count], nodes) >= block.Length)
                continue;
            block[0] = (byte)count;
            EliasFanoCode.Encode(sorted[..count], nodes, block[1..]);
            return count;
        }

        return 0;
    }

    /// <summary>Reads the links of a block, and returns their number; -1 if the block holds no list.</summary>
    /// <remarks>Needs <see cref="EliasFanoCode.Padding"/> readable bytes behind it, and room for <see cref="MaxLinks"/> ids.</remarks>
    public static int Read(byte* block, int length, uint nodes, uint* ids) =>
        EliasFanoCode.TryDecode(block + 1, length - 1, *block, nodes, ids) ? *block : -1;

    // No list of as many ids is shorter than that of the lowest ones. A list with more ids may be shorter: where nodes / links falls below
    // a power of two, every id takes a bit less.
    private static int MostLinks(int bytes, uint nodes)
    {
        int most = MaxLinks;
        while (most > 0 && EliasFanoCode.ByteLength(most, (uint)most - 1, nodes) >= bytes)
            most--;
        return most;
    }
}
