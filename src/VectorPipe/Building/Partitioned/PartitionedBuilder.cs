using VectorPipe.Building.Paging;
using VectorPipe.Numerics;

namespace VectorPipe.Building.Partitioned;

/// <summary>
/// Builds a graph of the quality of two-pass Vamana in a fraction of the time: points are divided into leaves of near neighbours, first links are chosen from
/// the leaves around by blocked distance kernels, and then made two-way, refined by short local searches, made two-way again and repaired by searching.
/// </summary>
/// <remarks>
/// <para>Every step is a function of what the step before left, frozen: the same points, parameters and options give the same graph at any
/// number of threads, and in memory as well as paged. Lists are filled up with near points that pruning left out; the inner product gets twice the
/// long links, and a higher alpha after the leaf phase; the list size is that of the searches that link in what is out of reach.</para>
/// <para>Memory beside the points: one more copy of the vectors and two tables of links. Thread-safe: holds no state but its options.</para>
/// </remarks>
/// <param name="options">How to go about the work; null for the defaults.</param>
/// <param name="space">Where tables are paged; null to have them in memory.</param>
internal sealed class PartitionedBuilder(PartitionedOptions? options = null, BuildSpace? space = null) : IGraphBuilder
{
    private const int MinInnerProductSamples = 512;

    // 200,000 x 64 of log-normal norms, recall@10 at L = 10 and 100, mean of three seeds with 0.1, 0.2 and 0.4: 62.6, 60.8, 59.7 and 78.2, 77.1, 78.5 %, of which none is better within what seeds differ by (17 points at L = 100).
    // Without any, one seed and refining searches of 16 expansions: 55.8 and 77.4 % (0.2: 59.5 and 83.3, but 61.4 and 76.2 with 20 expansions). Of a million under L2, 0.1 more cost 0.4 points at L = 10.
    private const float InnerProductAlphaExtra = 0.2f;

    private readonly PartitionedOptions _options = options ?? new PartitionedOptions();

    /// <inheritdoc/>
    public BuiltGraph Build(PointTable points, GraphParameters parameters, GraphReport report, IProgress<GraphProgress>? progress, CancellationToken cancellationToken)
    {
        LeafMap? map = null;
        LeafOrder? order = null;
        BuiltGraph? graph = null;
        try
        {
            cancellationToken.ThrowIfCancellationRequested();
            space?.Enter(BuildStage.Partition);
            int entry = Medoid.Find(points, space?.Memory, parameters.Threads, cancellationToken);
            map = Partitioner.Run(points, _options.LeafSize, parameters, space?.Memory, progress, cancellationToken);
            space?.Enter(BuildStage.Shuffle);
            int position = Array.IndexOf(map.Points, entry);
            var levels = new SampleLevels(map, position, _options.LevelRate, parameters.Seed);
            order = LeafOrder.Of(points, map, levels, space, parameters.Threads, cancellationToken);
            var context = new BuildContext(
                map, levels, order.Vectors, position, OptionsFor(points), parameters, space?.Memory, progress, new Effort(), cancellationToken);
            graph = BuildGraph(context, order);
            space?.Enter(BuildStage.Finish);
            Finish(graph, context, report);
            map.Dispose();
            return graph;
        }
        catch
        {
            map?.Dispose();
            graph?.Dispose();
            order?.Dispose();
            points.Dispose();
            throw;
        }
    }

    private PartitionedOptions OptionsFor(PointTable points)
    {
        if (points.Metric != DistanceMetric.InnerProduct)
            return _options;

        // The largest inner products lie at the rim of the data, and queries outside of it: searches get there by long links or not at all.
        return _options with
        {
            LevelCandidates = 2 * _options.LevelCandidates,
            LevelSamples = Math.Max(MinInnerProductSamples, _options.LevelSamples),
            RefineAlphaExtra = _options.RefineAlphaExtra + InnerProductAlphaExtra,
        };
    }

    private BuiltGraph BuildGraph(BuildContext context, LeafOrder order)
    {
        NearestLists? nearest = context.Options.KeptNearest > 0 ? new NearestLists(context.Count, context.Options.KeptNearest, space?.Memory) : null;
        LinkTable? links = null;
        try
        {
            links = Link(context, nearest);
            new SearchRepair(context, links).Run();
            VectorTable vectors = order.Vectors;
            PagedMemory? paging = space?.Memory;
            return new BuiltGraph(links, context.Entry, context.Map.Points, order.Records, () => OpenView(links, vectors, paging), order) { Nearest = nearest };
        }
        catch
        {
            links?.Dispose();
            nearest?.Dispose();
            throw;
        }
    }

    private LinkTable Link(BuildContext context, NearestLists? nearest)
    {
        space?.Enter(BuildStage.Leaves);
        LinkTable? other = null;
        LinkTable links = NewTable(context, "links-1");
        try
        {

            // A step is a call: what it holds, 5 bytes a point here, is garbage when it returns. Of an object made in this method, which runs once and unoptimised, the frame would keep hold until the end.
            LeafPhase.Run(context, links);
            space?.Enter(BuildStage.Merge);
            other = NewTable(context, "links-2");
            ReverseMerge.Run(context, space, links, other, context.Parameters.Alpha, fill: 0);
            Replace(ref links, ref other, context, "links-3");
            space?.Enter(BuildStage.Refine);
            Refiner.Run(context, links, other, nearest, space?.RefineThreads ?? context.Parameters.Threads);
            Replace(ref links, ref other, context, "links-4");
            ReverseMerge.Run(context, space, links, other, context.RefineAlpha, context.Options.Fill);
            links.Dispose();
            return other;
        }
        catch
        {
            links.Dispose();
            other?.Dispose();
            throw;
        }
    }

    // What was written is read from now on. In memory the old table is written over, on disk a new one is cheaper than to read the old.
    private static void Replace(ref LinkTable read, ref LinkTable written, BuildContext context, string name)
    {
        (read, written) = (written, read);
        if (context.Paging is null)
            return;
        written.Dispose();
        written = NewTable(context, name);
    }

    private static LinkTable NewTable(BuildContext context, string name) => new(context.Count, context.Parameters.MaxDegree, context.Paging, name);

    private static GraphView OpenView(LinkTable links, VectorTable vectors, PagedMemory? paging)
    {
        PageLease lease = PageLease.Rent(paging);
        return new GraphView(links, new TableDistances(vectors, lease), lease);
    }

    private static void Finish(BuiltGraph graph, BuildContext context, GraphReport report)
    {
        LinkSearch OpenSearch(int listSize) => new(graph.Links, context.Table, context.Rent(), graph.Entry, listSize);
        using (GraphView view = graph.OpenView())
        {
            var repair = new ReachabilityRepair(view, graph.Entry, () => OpenSearch(context.Parameters.ListSize));
            repair.Run(report, context.Progress, context.CancellationToken);
            report.MeanDegree = MeanDegree(view);
            report.Distances = context.Effort.Distances + repair.Computed;
        }

        SelfCheck.Run(() => OpenSearch(context.Options.RepairList), graph.Links.Count, context.Parameters, context.Options.CheckedPoints, report, context.Progress, context.CancellationToken);
    }

    private static double MeanDegree(GraphView view)
    {
        long degrees = 0;
        int together = PagedMemory.RowsTogether(view.LinkRows.RowBytes);
        for (int first = 0; first < view.LinkRows.Count; first += together)
        {
            int count = Math.Min(together, view.LinkRows.Count - first);
            view.Begin();
            view.Show(first, count);
            for (int row = first; row < first + count; row++)
                degrees += view.LinkRows.Degree(row);
        }

        return (double)degrees / view.LinkRows.Count;
    }
}
