using VectorPipe.Building.Graphs;

namespace VectorPipe.Tests.Building;

/// <summary>A built graph by point, for any order of its builder.</summary>
internal sealed class Graph
{
    private readonly int[][] _links;

    private Graph(int[][] links, int entry, int maxDegree)
    {
        _links = links;
        Entry = entry;
        MaxDegree = maxDegree;
    }

    public int Count => _links.Length;

    public int MaxDegree { get; }

    public int Entry { get; }

    public ReadOnlySpan<int> Links(int point) => _links[point];

    public static Graph Of(BuiltGraph built)
    {
        int[][] links = new int[built.Links.Count][];
        for (int row = 0; row < links.Length; row++)
            links[built.PointOf(row)] = [.. built.Links.Links(row).ToArray().Select(built.PointOf)];
        return new Graph(links, built.PointOf(built.Entry), built.Links.MaxDegree);
    }

    public static Graph Of(LinkTable table, int entry) =>
        new([.. Enumerable.Range(0, table.Count).Select(row => table.Links(row).ToArray())], entry, table.MaxDegree);
}
