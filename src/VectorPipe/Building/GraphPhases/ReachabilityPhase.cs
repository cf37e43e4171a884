using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Partitioned;
using VectorPipe.Building.Phases;

namespace VectorPipe.Building.GraphPhases;

/// <summary>Makes sure that every point can be reached from the entry point.</summary>
internal sealed class ReachabilityPhase(GraphSize size, GraphWork work) : WorkPhase
{
    /// <inheritdoc/>
    public override string Name => "graph: reachability";

    /// <inheritdoc/>
    public override PhaseNeeds Needs(int threads, bool isPaged) =>
        new(size.HeldBytes(threads, positions: 3), size.TableBytes(1, isPaged), size.SearchBytes(threads));

    /// <inheritdoc/>
    public override double Seconds(int threads) => size.Vectors.Seconds(size.Count, 0.4, 0);

    /// <inheritdoc/>
    public override void Run(BuildRun run)
    {
        BuildContext context = work.RequireContext();
        BuiltGraph graph = work.RequireGraph();
        using GraphView view = graph.OpenView();
        var repair = new ReachabilityRepair(
            view, graph.Entry, () => new LinkSearch(graph.Links, context.Table, context.Rent(), graph.Entry, context.Parameters.ListSize));
        repair.Run(work.Report, run.Progress, run.CancellationToken);
        work.Report.MeanDegree = MeanDegree(view);
        work.Report.Distances = context.Effort.Distances + repair.Computed;
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
