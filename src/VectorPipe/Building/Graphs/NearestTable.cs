using VectorPipe.Building.Paging;

namespace VectorPipe.Building.Graphs;

/// <summary>A list of near points for each point, nearest first: a by-product of refining.</summary>
/// <remarks>
/// Lists of a paged table are read and written by whoever has asked a lease for them. Different lists may be written by different threads
/// at a time. Freed by <see cref="Dispose"/>.
/// </remarks>
internal sealed unsafe class NearestTable : IDisposable
{
    private readonly TableMemory _memory;

    /// <param name="count">Lists, at least 1.</param>
    /// <param name="length">Entries of a list, at least 1.</param>
    /// <param name="paging">What pages the lists; null to have them in memory.</param>
    /// <param name="name">Names the scratch file.</param>
    public NearestTable(int count, int length, PagedMemory? paging = null, string name = "nearest")
    {
        Count = count;
        Length = length;
        _memory = TableMemory.Take(paging, name, count * RowBytes);
    }

    /// <summary>How many lists.</summary>
    public int Count { get; }

    /// <summary>Entries of a list.</summary>
    public int Length { get; }

    /// <summary>Bytes of a list.</summary>
    public long RowBytes => (long)Length * sizeof(int);

    /// <summary>Asks for lists that lie one after another.</summary>
    public void Ask(PageLease lease, int first, int count)
    {
        if (_memory.Region is { } region)
            lease.Ask(region, first * RowBytes, count * RowBytes);
    }

    /// <summary>Asks for lists.</summary>
    public void Ask(PageLease lease, ReadOnlySpan<int> points)
    {
        if (_memory.Region is not { } region)
            return;
        foreach (int point in points)
            lease.Ask(region, point * RowBytes, RowBytes);
    }

    /// <summary>The list of a point, nearest first, in the caller's numbers; entries of -1 at the end stand for none.</summary>
    public ReadOnlySpan<int> Of(int point) => Entries(point);

    /// <summary>The list of a point, without the entries that stand for none.</summary>
    /// <param name="point">The point.</param>
    /// <param name="most">Entries, at most.</param>
    public ReadOnlySpan<int> Of(int point, int most)
    {
        ReadOnlySpan<int> list = Entries(point)[..Math.Min(most, Length)];
        int end = list.IndexOf(-1);
        return end < 0 ? list : list[..end];
    }

    /// <summary>The list of a point, to be written; it is leased.</summary>
    public Span<int> ToWrite(int point)
    {
        _memory.Region?.MarkDirty(point * RowBytes, RowBytes);
        return Entries(point);
    }

    /// <summary>Frees the lists.</summary>
    public void Dispose() => _memory.Dispose();

    private Span<int> Entries(int point) => new((int*)_memory.Pointer + (nint)point * Length, Length);
}
