using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Partitioned;
using VectorPipe.Building.Phases;

namespace VectorPipe.Building.GraphPhases;

/// <summary>Makes every point reachable from the entry point.</summary>
internal sealed class ReachabilityPhase(GraphSize size, GraphWork work) : WorkPhase
{
    public override string Name => "graph: reachability";

    public override PhaseNeeds Needs(int threads, bool isPaged) =>
        new(size.HeldBytes(threads, positions: 3), size.TableBytes(1, isPaged), size.SearchBytes(threads));

    public override double Seconds(int threads) => size.Vectors.Seconds(size.Count, 0.4, 0);

    public override void Run(BuildRun run)
    {
        BuildContext context = work.RequireContext();
        BuiltGraph graph = work.RequireGraph();
        using (GraphView view = graph.OpenView())
        {
            var repair = new ReachabilityRepair(
                view, graph.Entry,
                () => new LinkSearch(graph.Links, context.Table, context.Rent(), graph.Entry, context.Parameters.ListSize));
            repair.Run(work.Report, run.Progress, run.CancellationToken);
            work.Report.Distances = context.Effort.Distances + repair.Computed;
        }

        work.Report.MeanDegree = MeanDegree(graph.Links, run);
    }

    private static double MeanDegree(LinkTable links, BuildRun run)
    {
        long degrees = 0;
        using PageLease lease = PageLease.Rent(run.Paging);
        foreach ((int first, int count) in links.Batches(lease, run.CancellationToken))
        {
            for (int row = first; row < first + count; row++)
                degrees += links.Degree(row);
        }

        return (double)degrees / links.Count;
    }
}
