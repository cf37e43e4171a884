using System.Diagnostics;
using VectorPipe.Building.Paging;

namespace VectorPipe.Building.Graphs;

/// <summary>The out-links of the points 0 .. Count-1, at most <see cref="MaxDegree"/> each.</summary>
internal sealed unsafe class LinkTable : RowTable
{
    public LinkTable(int count, int maxDegree, PagedMemory? paging = null, string name = "links")
        : base(paging, name, count, (maxDegree + 1) * sizeof(int))
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(maxDegree, 1);
        MaxDegree = maxDegree;
    }

    /// <summary>Most links a row.</summary>
    public int MaxDegree { get; }

    /// <summary>The links of a row.</summary>
    public ReadOnlySpan<int> Links(int row)
    {
        int* entry = (int*)Row(row);
        return new ReadOnlySpan<int>(entry + 1, *entry);
    }

    /// <summary>How many links a row has.</summary>
    public int Degree(int row) => *(int*)Row(row);

    /// <summary>Replaces the links of a row.</summary>
    public void SetLinks(int row, ReadOnlySpan<int> links)
    {
        Debug.Assert(links.Length <= MaxDegree, "a row holds at most MaxDegree links");
        int* entry = (int*)Row(row);
        *entry = links.Length;
        links.CopyTo(new Span<int>(entry + 1, MaxDegree));
        MarkDirty(row);
    }

    /// <summary>Replaces one link, or adds one behind the last.</summary>
    public void SetLink(int row, int slot, int link)
    {
        int* entry = (int*)Row(row);
        Debug.Assert(slot <= *entry && slot < MaxDegree, "links have no gaps");
        entry[1 + slot] = link;
        *entry = Math.Max(*entry, slot + 1);
        MarkDirty(row);
    }
}
