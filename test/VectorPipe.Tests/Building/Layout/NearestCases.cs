using VectorPipe.Building.Graphs;
using VectorPipe.Building.Layout;
using VectorPipe.Building.Paging;

namespace VectorPipe.Tests.Building.Layout;

/// <summary>Nearest lists to pack pages from.</summary>
internal static class NearestCases
{
    public const int Length = 24;

    /// <summary>The true nearest of clustered points in the plane, numbered at random.</summary>
    public static NearestTable Clustered(Random random, int count, int length = Length)
    {
        var centres = new (double X, double Y)[Math.Max(1, count / 20)];
        for (int i = 0; i < centres.Length; i++)
            centres[i] = (random.NextDouble() * 100, random.NextDouble() * 100);
        var points = new (double X, double Y)[count];
        for (int i = 0; i < count; i++)
        {
            (double x, double y) = centres[random.Next(centres.Length)];
            points[i] = (x + random.NextDouble() * 4, y + random.NextDouble() * 4);
        }

        var lists = new NearestTable(count, length);
        for (int i = 0; i < count; i++)
        {
            (double x, double y) = points[i];
            int[] others = [.. Enumerable.Range(0, count).Where(j => j != i)];
            Array.Sort([.. others.Select(j => (points[j].X - x) * (points[j].X - x) + (points[j].Y - y) * (points[j].Y - y))], others);
            Fill(lists.ToWrite(i), others);
        }

        return lists;
    }

    /// <summary>Random lists of random lengths, with a few points in nearly all of them.</summary>
    public static NearestTable Hubs(Random random, int count, int hubs, int length = Length)
    {
        var lists = new NearestTable(count, length);
        for (int i = 0; i < count; i++)
        {
            var others = new HashSet<int>();
            int wanted = Math.Min(count - 1, random.Next(0, length + 1));
            while (others.Count < wanted)
            {
                int other = random.Next(2) == 0 && hubs > 0 ? random.Next(hubs) : random.Next(count);
                if (other != i)
                    others.Add(other);
            }

            Fill(lists.ToWrite(i), [.. others]);
        }

        return lists;
    }

    /// <summary>The share of the first ten nearest that lie in a point's own page.</summary>
    public static double ShareInPage(NearestTable nearest, int[] order, int nodesPerPage)
    {
        int[] pageOf = new int[order.Length];
        for (int id = 0; id < order.Length; id++)
            pageOf[order[id]] = id / nodesPerPage;
        int within = 0, all = 0;
        for (int row = 0; row < order.Length; row++)
        {
            foreach (int other in nearest.Of(row)[..Math.Min(10, nearest.Length)])
            {
                if (other < 0)
                    break;
                within += pageOf[other] == pageOf[row] ? 1 : 0;
                all++;
            }
        }

        return (double)within / Math.Max(1, all);
    }

    /// <summary>The ties of the points of a chunk, in memory.</summary>
    public static ChunkAdjacency Load(NearestTable nearest, int first, int count)
    {
        var adjacency = new ChunkAdjacency(count);
        Load(adjacency, nearest, first, count);
        return adjacency;
    }

    /// <summary>Loads the ties of the points of a chunk from lists in memory.</summary>
    public static void Load(ChunkAdjacency adjacency, NearestTable nearest, int first, int count)
    {
        using PageLease lease = PageLease.Rent(null);
        adjacency.Load(nearest, first, count, lease, new int[count], default);
    }

    /// <summary>The points at the other ends of a point's ties.</summary>
    public static int[] Targets(this ChunkAdjacency adjacency, int point)
    {
        ChunkAdjacency.Ties ties = adjacency.Of(point);
        int[] targets = new int[ties.Count];
        for (int i = 0; i < targets.Length; i++)
            targets[i] = ties.Target(i);
        return targets;
    }

    /// <summary>How much a point's ties weigh.</summary>
    public static int[] Weights(this ChunkAdjacency adjacency, int point)
    {
        ChunkAdjacency.Ties ties = adjacency.Of(point);
        int[] weights = new int[ties.Count];
        for (int i = 0; i < weights.Length; i++)
            weights[i] = ties.Weight(i);
        return weights;
    }

    private static void Fill(Span<int> list, ReadOnlySpan<int> ids)
    {
        list.Fill(-1);
        ids[..Math.Min(ids.Length, list.Length)].CopyTo(list);
    }
}
