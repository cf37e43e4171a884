using System.Diagnostics;
using VectorPipe.Building.Paging;

namespace VectorPipe.Building.Graphs;

/// <summary>
/// The out-links of the points 0 .. Count-1, at most <see cref="MaxDegree"/> each: rows of a length and as many numbers, at a fixed stride.
/// </summary>
/// <remarks>
/// Rows of a paged table are read and written by whoever has asked a lease for them. Different rows may be written by different threads at
/// a time. Freed by <see cref="Dispose"/>.
/// </remarks>
internal sealed unsafe class LinkTable : IDisposable
{
    private readonly TableMemory _memory;
    private readonly long _stride;

    /// <param name="count">Rows, at least 1.</param>
    /// <param name="maxDegree">Most links a row (R), at least 1.</param>
    /// <param name="paging">What pages the rows; null to have them in memory.</param>
    /// <param name="name">Names the scratch file.</param>
    public LinkTable(int count, int maxDegree, PagedMemory? paging = null, string name = "links")
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(count, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(maxDegree, 1);
        Count = count;
        MaxDegree = maxDegree;
        _stride = (maxDegree + 1) * sizeof(int);
        _memory = TableMemory.Take(paging, name, count * _stride);
    }

    /// <summary>How many rows.</summary>
    public int Count { get; }

    /// <summary>Most links a row.</summary>
    public int MaxDegree { get; }

    /// <summary>Whether rows need not all be in memory.</summary>
    public bool IsPaged => _memory.Region is not null;

    /// <summary>Bytes of a row.</summary>
    public long RowBytes => _stride;

    /// <summary>Asks for rows that lie one after another.</summary>
    public void Ask(PageLease lease, int first, int count)
    {
        if (_memory.Region is { } region)
            lease.Ask(region, first * _stride, count * _stride);
    }

    /// <summary>Asks for rows.</summary>
    public void Ask(PageLease lease, ReadOnlySpan<int> rows)
    {
        if (_memory.Region is not { } region)
            return;
        foreach (int row in rows)
            lease.Ask(region, row * _stride, _stride);
    }

    /// <summary>Notes that rows that lie one after another, and those before them, will not be used again soon.</summary>
    public void Retire(PageLease lease, int first, int count)
    {
        if (_memory.Region is { } region)
            lease.Retire(region, first * _stride, count * _stride);
    }

    /// <summary>Notes that rows that lie one after another are about to be used.</summary>
    public void Touch(PageLease lease, int first, int count)
    {
        if (_memory.Region is { } region)
            lease.Touch(region, first * _stride, count * _stride);
    }

    /// <summary>Whether a row is in memory; if so it stays until the lease begins anew, if not it is hinted at.</summary>
    public bool TryHold(PageLease lease, int row) => _memory.Region is not { } region || lease.TryHold(region, row * _stride, _stride);

    /// <summary>The links of a row.</summary>
    public ReadOnlySpan<int> Links(int row)
    {
        int* entry = Entry(row);
        return new ReadOnlySpan<int>(entry + 1, *entry);
    }

    /// <summary>How many links a row has.</summary>
    public int Degree(int row) => *Entry(row);

    /// <summary>Replaces the links of a row.</summary>
    public void SetLinks(int row, ReadOnlySpan<int> links)
    {
        Debug.Assert(links.Length <= MaxDegree, "a row holds at most MaxDegree links");
        int* entry = Entry(row);
        *entry = links.Length;
        links.CopyTo(new Span<int>(entry + 1, MaxDegree));
        _memory.Region?.MarkDirty(row * _stride, _stride);
    }

    /// <summary>Replaces one link, or adds one behind the last.</summary>
    /// <param name="row">Which row.</param>
    /// <param name="slot">0 .. its degree, below <see cref="MaxDegree"/>.</param>
    /// <param name="link">The new link.</param>
    public void SetLink(int row, int slot, int link)
    {
        int* entry = Entry(row);
        Debug.Assert(slot <= *entry && slot < MaxDegree, "links have no gaps");
        entry[1 + slot] = link;
        *entry = Math.Max(*entry, slot + 1);
        _memory.Region?.MarkDirty(row * _stride, _stride);
    }

    /// <summary>Frees the rows.</summary>
    public void Dispose() => _memory.Dispose();

    private int* Entry(int row) => (int*)(_memory.Pointer + row * _stride);
}
