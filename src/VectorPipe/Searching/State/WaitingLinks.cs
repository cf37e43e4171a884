using System.Diagnostics;

namespace VectorPipe.Searching.State;

/// <summary>Links to new nodes that pages will get when they are rewritten, <see cref="GraphChanges.LinkBytes"/> each.</summary>
/// <remarks>
/// A copy shares the arrays of the links and has lengths of its own. Links are added behind those that the original sees, so that a
/// checkpoint does not copy all links of a page for each new one: that was half of all that it allocated. Only the newest copy may be
/// changed, by one thread.
/// </remarks>
internal sealed class WaitingLinks
{
    // Links for which the first array of a page has room; each later one is twice as long. Longer ones would take memory of every page.
    private const int LeastLinks = 10;

    private byte[]?[] _links;
    private int[] _lengths;

    /// <param name="pages">Pages for which there is room.</param>
    public WaitingLinks(int pages)
    {
        _links = new byte[]?[pages];
        _lengths = new int[pages];
    }

    /// <summary>The links of a page.</summary>
    public ReadOnlySpan<byte> this[uint page] => _links[page].AsSpan(0, _lengths[page]);

    /// <summary>Bytes of memory; an array that several copies share counts for each.</summary>
    public long MemoryBytes
    {
        get
        {
            const int ArrayHeader = 24;
            long bytes = (long)_links.Length * (nint.Size + sizeof(int));
            foreach (byte[]? links in _links)
                bytes += links is null ? 0 : links.Length + ArrayHeader;
            return bytes;
        }
    }

    /// <summary>Takes over the links of another object, which must not be changed any more.</summary>
    /// <param name="other">The links.</param>
    /// <param name="pages">The first pages.</param>
    public void CopyFrom(WaitingLinks other, int pages)
    {
        Array.Copy(other._links, _links, pages);
        Array.Copy(other._lengths, _lengths, pages);
    }

    /// <summary>Adds links to a page.</summary>
    public void Add(uint page, ReadOnlySpan<byte> links)
    {
        int length = _lengths[page];
        byte[]? old = _links[page];
        if (old is null || length + links.Length > old.Length)
        {
            int room = LeastLinks * GraphChanges.LinkBytes;
            while (room < length + links.Length)
                room *= 2;
            var grown = new byte[room];
            old.AsSpan(0, length).CopyTo(grown);
            _links[page] = old = grown;
        }

        links.CopyTo(old.AsSpan(length));
        _lengths[page] = length + links.Length;
        Debug.Assert(_lengths[page] <= old.Length, "the links of a page fit into its array");
    }

    /// <summary>Removes the links of a page.</summary>
    public void Clear(uint page)
    {
        _links[page] = null;
        _lengths[page] = 0;
    }

    /// <summary>Makes room for more pages.</summary>
    public void Grow(int pages)
    {
        Array.Resize(ref _links, pages);
        Array.Resize(ref _lengths, pages);
    }
}
