using System.Diagnostics;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Work;
using VectorPipe.Numerics.Hashing;

namespace VectorPipe.Reference.Vamana;

/// <summary>Two-pass Vamana (Subramanya et al., DiskANN, NeurIPS 2019). Thread-safe.</summary>
/// <remarks>
/// Inserts every point in random order with alpha 1, then again with the given alpha, and links points that the entry point does not
/// reach. The first pass starts with an empty graph, not a random one. The graph is reproducible with one thread only.
/// </remarks>
internal sealed class VamanaBuilder : IGraphBuilder
{
    public BuiltGraph Build(
        PointTable points, GraphParameters parameters, GraphReport report, IProgress<GraphProgress>? progress,
        CancellationToken cancellationToken)
    {
        PointSet? set = null;
        LinkTable? links = null;
        try
        {
            cancellationToken.ThrowIfCancellationRequested();
            set = points.ToPointSet();
            links = new LinkTable(points.Count, parameters.MaxDegree);
            int entry = Medoid.Find(points, paging: null, parameters.Threads, cancellationToken);
            Link(new SharedGraph(links, entry), set, parameters, report, progress, cancellationToken);
            return ToGraph(links, entry, points, set);
        }
        catch
        {
            links?.Dispose();
            set?.Dispose();
            points.Dispose();
            throw;
        }
    }

    private static BuiltGraph ToGraph(LinkTable links, int entry, PointTable points, PointSet set) =>
        new(links, entry, points: null, new GraphRecords(points, null), () => View(links, set), vectors: null, set, points);

    private static GraphView View(LinkTable links, PointSet points) => new(links, points, PageLease.Rent(null));

    private static void Link(
        SharedGraph graph, PointSet points, GraphParameters parameters, GraphReport report, IProgress<GraphProgress>? progress,
        CancellationToken cancellationToken)
    {
        var workers = new LinkWorker[parameters.Threads];
        for (int i = 0; i < workers.Length; i++)
            workers[i] = new LinkWorker(graph, points, parameters.ListSize);

        int[] order = RandomOrder(points.Count, parameters.Seed);
        RunPass("first pass", order, 1, workers, progress, cancellationToken);
        RunPass("second pass", order, parameters.Alpha, workers, progress, cancellationToken);

        GreedySearch OpenSearch(int listSize) => new(graph, points, new VisitMarks(points.Count), listSize);
        using GraphView view = View(graph.Links, points);
        var repair = new ReachabilityRepair(view, graph.Entry, () => OpenSearch(parameters.ListSize));
        repair.Run(report, progress, cancellationToken);
        SelfCheck.Run(
            () => OpenSearch(SelfCheck.DefaultListSize), points.Count, parameters, SelfCheck.DefaultSampleSize, report, progress,
            cancellationToken);
        report.Distances = workers.Sum(worker => worker.Computed) + repair.Computed;
        report.MeanDegree = MeanDegree(graph.Links);
        AssertInvariants(graph.Links);
    }

    private static void RunPass(
        string phase, int[] order, float alpha, LinkWorker[] workers, IProgress<GraphProgress>? progress,
        CancellationToken cancellationToken)
    {
        var meter = new ProgressMeter(progress, phase, order.Length);
        Workers.Run(
            workers.Length,
            order.Length,
            (worker, shared) =>
            {
                while (shared.TryTake(out int i))
                {
                    workers[worker].Insert(order[i], alpha);
                    meter.Advance(1);
                }
            },
            cancellationToken);
        meter.Complete();
    }

    // Fisher-Yates (inside-out).
    private static int[] RandomOrder(int count, ulong seed)
    {
        int[] order = new int[count];
        var random = new SplitMix64(seed);
        for (int i = 0; i < count; i++)
        {
            int other = random.Next(i + 1);
            order[i] = order[other];
            order[other] = i;
        }

        return order;
    }

    private static double MeanDegree(LinkTable graph)
    {
        long links = 0;
        for (int i = 0; i < graph.Count; i++)
            links += graph.Degree(i);
        return (double)links / graph.Count;
    }

    [Conditional("DEBUG")]
    private static void AssertInvariants(LinkTable graph)
    {
        var seen = new HashSet<int>();
        for (int i = 0; i < graph.Count; i++)
        {
            seen.Clear();
            foreach (int link in graph.Links(i))
            {
                Debug.Assert((uint)link < (uint)graph.Count && link != i, "a link leads to another point of the graph");
                Debug.Assert(seen.Add(link), "links are distinct");
            }
        }
    }
}
