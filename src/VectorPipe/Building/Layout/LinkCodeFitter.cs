using System.Numerics;
using VectorPipe.Building.Paging;
using VectorPipe.Storage.Nodes;

namespace VectorPipe.Building.Layout;

/// <summary>Fits the code of link lists to an index: gaps between links depend on the data and on the packing.</summary>
internal static class LinkCodeFitter
{
    private const int SampledNodes = 2048;

    /// <summary>Fits a code to the lists that evenly spaced nodes would have if each held its own nearest points and links.</summary>
    /// <remarks>A function of the graph and its order alone: the final lists are chosen later, when their room is known.</remarks>
    public static GapCode Fit(MergedGraph graph)
    {
        int nodes = graph.Order.Length;
        int nodesPerPage = graph.Fill;
        int room = Math.Max(1, graph.Layout.LinkRoom(nodes) / nodesPerPage);
        Span<long> counts = stackalloc long[GapCode.Magnitudes];
        counts.Clear();
        var list = new SortedSet<uint>();
        using PageLease lease = graph.Rent();
        int sampled = Math.Min(SampledNodes, nodes);
        for (int i = 0; i < sampled; i++)
        {
            int position = (int)((2L * i + 1) * nodes / (2 * sampled));
            int row = graph.Order[position];
            list.Clear();
            lease.Begin();
            graph.Nearest.Ask(lease, row, 1);
            graph.Graph.Links.Ask(lease, row, 1);
            lease.Fetch();
            Add(graph.Nearest.Of(row, AffinityRanker.Neighbours));
            Add(graph.Graph.Links.Links(row));
            uint expected = 0;
            foreach (uint link in list)
            {
                counts[GapCode.MagnitudeOf(link - expected + 1)]++;
                expected = link + 1;
            }

            void Add(ReadOnlySpan<int> rows)
            {
                foreach (int other in rows)
                {
                    int link = graph.PositionOf[other];
                    if (link / nodesPerPage != position / nodesPerPage && list.Count < room)
                        list.Add(graph.IdAt((uint)link));
                }
            }
        }

        // No gap is larger than the number of ids.
        return GapCode.Fit(counts[..Math.Max(2, BitOperations.Log2((uint)graph.Shape.Capacity) + 1)]);
    }
}
