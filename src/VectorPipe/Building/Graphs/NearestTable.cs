using VectorPipe.Building.Paging;

namespace VectorPipe.Building.Graphs;

/// <summary>A list of near points for each point, nearest first: a by-product of refining.</summary>
internal sealed unsafe class NearestTable(int count, int length, PagedMemory? paging = null, string name = "nearest")
    : RowTable(paging, name, count, length * sizeof(int))
{
    /// <summary>Entries of a list.</summary>
    public int Length => length;

    /// <summary>The list of a point; entries of -1 at the end stand for none.</summary>
    public ReadOnlySpan<int> Of(int point) => new(Row(point), length);

    /// <summary>The first entries of a point's list, without those that stand for none.</summary>
    public ReadOnlySpan<int> Of(int point, int most)
    {
        ReadOnlySpan<int> list = Of(point)[..Math.Min(most, length)];
        int end = list.IndexOf(-1);
        return end < 0 ? list : list[..end];
    }

    /// <summary>The list of a point, to be written; it is leased.</summary>
    public Span<int> ToWrite(int point)
    {
        MarkDirty(point);
        return new Span<int>(Row(point), length);
    }
}
