using VectorPipe.Numerics;

namespace VectorPipe.Building.Partitioned;

/// <summary>
/// Builds a graph of the quality of two-pass Vamana in a fraction of the time: points are divided into leaves of near neighbours, first links are chosen from
/// the leaves around by blocked distance kernels, and then made two-way, refined by short local searches, made two-way again and repaired by searching.
/// </summary>
/// <remarks>
/// <para>Every step is a function of what the step before left, frozen: the same points, parameters and options give the same graph at any
/// number of threads. Alpha of the parameters is used for the first links, <see cref="PartitionedOptions.RefineAlphaExtra"/> more for all later ones; every
/// list is filled up to the degree; the inner product gets twice the long links; the list size is that of the searches that link in what is out of reach.</para>
/// <para>Memory beside the points: one more copy of the vectors and two tables of links. Thread-safe: holds no state.</para>
/// </remarks>
internal sealed class PartitionedBuilder(PartitionedOptions? options = null) : IGraphBuilder
{
    private const int MinInnerProductSamples = 512;

    private readonly PartitionedOptions _options = options ?? new PartitionedOptions();

    /// <inheritdoc/>
    public Graph Build(PointSet points, GraphParameters parameters, GraphReport report, IProgress<GraphProgress>? progress, CancellationToken cancellationToken)
    {
        using PartitionedGraph built = BuildOrdered(points, parameters, report, progress, cancellationToken);
        return built.Graph;
    }

    /// <summary>As <see cref="Build"/>, with the order of the points and, if the options say so, their nearest candidates.</summary>
    public PartitionedGraph BuildOrdered(
        PointSet points, GraphParameters parameters, GraphReport report, IProgress<GraphProgress>? progress, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        int entry = points.FindMedoid(parameters.Threads, cancellationToken);
        using LeafMap map = new Partitioner(points, _options.LeafSize, parameters, progress, cancellationToken).Run();
        using var store = new MemoryLeafStore(points, map, parameters.Threads, cancellationToken);
        var context = new BuildContext(map, store, Array.IndexOf(map.Points, entry), OptionsFor(points.Rows.Metric), parameters, progress, new Effort(), cancellationToken);

        NearestLists? nearest = _options.KeptNearest > 0 ? new NearestLists(points.Count, _options.KeptNearest) : null;
        try
        {
            Graph graph = BuildGraph(context, nearest);
            graph.Entry = entry;
            Finish(graph, points, context, report);
            return new PartitionedGraph(graph, map.Points, nearest);
        }
        catch
        {
            nearest?.Dispose();
            throw;
        }
    }

    // The largest inner products lie at the rim of the data, and queries outside of it: searches get there by long links or not at all.
    private PartitionedOptions OptionsFor(DistanceMetric metric) => metric != DistanceMetric.InnerProduct
        ? _options
        : _options with
        {
            LevelCandidates = 2 * _options.LevelCandidates,
            LevelSamples = Math.Max(MinInnerProductSamples, _options.LevelSamples),
        };

    private static Graph BuildGraph(BuildContext context, NearestLists? nearest)
    {
        var links = new LinkTable(context.Count, context.Parameters.MaxDegree);
        try
        {
            using (var other = new LinkTable(context.Count, context.Parameters.MaxDegree))
            {
                new LeafPhase(context).Run(other, nearest);
                ReverseMerge.Run(context, other, links, context.Parameters.Alpha, fill: false);
                Refiner.Run(context, links, other);
                ReverseMerge.Run(context, other, links, context.RefineAlpha, fill: true);
            }

            new SearchRepair(context, links).Run();
            return Renumber(links, context);
        }
        finally
        {
            links.Dispose();
        }
    }

    private static Graph Renumber(LinkTable links, BuildContext context)
    {
        int[] points = context.Map.Points;
        var graph = new Graph(links.Count, links.MaxDegree);
        WorkQueue.Run(
            context.Parameters.Threads,
            context.Map.Count,
            () => NoScratch.Instance,
            (_, leaf) =>
            {
                for (int position = context.Map.Offsets[leaf]; position < context.Map.Offsets[leaf + 1]; position++)
                {
                    ReadOnlySpan<int> source = links.Links(position);
                    Span<int> row = graph.Row(points[position]);
                    for (int i = 0; i < source.Length; i++)
                        row[i] = points[source[i]];
                    graph.SetDegree(points[position], source.Length);
                }
            },
            context.CancellationToken);
        return graph;
    }

    private static void Finish(Graph graph, PointSet points, BuildContext context, GraphReport report)
    {
        var shared = new SharedGraph(graph);
        var repair = new ReachabilityRepair(shared, points, context.Parameters.ListSize);
        repair.Run(report, context.Progress, context.CancellationToken);
        SelfCheck.Run(shared, points, context.Parameters, context.Options.CheckedPoints, context.Options.RepairList, report, context.Progress, context.CancellationToken);
        long degrees = 0;
        for (int point = 0; point < graph.Count; point++)
            degrees += graph.Degree(point);
        report.MeanDegree = (double)degrees / graph.Count;
        report.Distances = context.Effort.Distances + repair.Computed;
    }
}
