namespace VectorPipe.Tests.Building;

/// <summary>A best-first search in memory with exact distances, independent of the builder's own.</summary>
internal sealed class GraphSearcher(Graph graph)
{
    /// <summary>Nodes expanded by all searches.</summary>
    public long Expanded { get; private set; }

    /// <summary>The k nearest points found by a search with list size L, nearest first.</summary>
    public int[] Search(Func<int, double> distanceTo, int k, int listSize)
    {
        var list = new SortedSet<(double Distance, int Point)>();
        var seen = new HashSet<int> { graph.Entry };
        var open = new SortedSet<(double Distance, int Point)>();
        var entry = (distanceTo(graph.Entry), graph.Entry);
        list.Add(entry);
        open.Add(entry);
        while (open.Count > 0)
        {
            (double Distance, int Point) nearest = open.Min;
            open.Remove(nearest);
            Expanded++;
            foreach (int link in graph.Links(nearest.Point))
            {
                if (!seen.Add(link))
                    continue;
                (double, int) candidate = (distanceTo(link), link);
                if (list.Count == listSize)
                {
                    if (candidate.CompareTo(list.Max) > 0)
                        continue;
                    open.Remove(list.Max);
                    list.Remove(list.Max);
                }

                list.Add(candidate);
                open.Add(candidate);
            }
        }

        return [.. list.Take(k).Select(entry => entry.Point)];
    }

    /// <summary>The share of the k nearest that searches find; results as near as the k-th nearest count.</summary>
    public static double Recall(Graph graph, TestVectors vectors, int k, int listSize)
    {
        var searcher = new GraphSearcher(graph);
        int found = 0;
        foreach (float[] query in vectors.Queries)
        {
            double[] distances = [.. vectors.Points.Select(point => vectors.Distance(query, point))];
            double limit = distances.Order().ElementAt(k - 1);
            found += searcher.Search(point => distances[point], k, listSize).Count(point => distances[point] <= limit);
        }

        return (double)found / (vectors.Queries.Length * k);
    }

    /// <summary>How many points links lead to from the entry, the entry included.</summary>
    public static int CountReachable(Graph graph)
    {
        var seen = new HashSet<int> { graph.Entry };
        var queue = new Queue<int>(seen);
        while (queue.TryDequeue(out int point))
        {
            foreach (int link in graph.Links(point))
            {
                if (seen.Add(link))
                    queue.Enqueue(link);
            }
        }

        return seen.Count;
    }
}
