using VectorPipe.Building.Graphs;
using VectorPipe.Building.Partitioned;
using VectorPipe.Building.Phases;

namespace VectorPipe.Building.GraphPhases;

/// <summary>Searches for a sample of the points in the finished graph, see <see cref="SelfCheck"/>.</summary>
internal sealed class CheckPhase(GraphSize size, GraphWork work) : WorkPhase
{
    public override string Name => "graph: check";

    public override PhaseNeeds Needs(int threads, bool isPaged) =>
        new(size.HeldBytes(threads, positions: 3), size.TableBytes(1, isPaged), size.SearchBytes(threads));

    public override double Seconds(int threads) => size.Vectors.Seconds(Math.Min(size.Count, size.Options.CheckedPoints), 8, 7, threads);

    public override void Run(BuildRun run)
    {
        BuildContext context = work.RequireContext();
        BuiltGraph graph = work.RequireGraph();
        SelfCheck.Run(
            () => new LinkSearch(graph.Links, context.Table, context.Rent(), graph.Entry, context.Options.RepairList),
            graph.Links.Count, context.Parameters, context.Options.CheckedPoints, work.Report, run.Progress, run.CancellationToken);

        work.EndGraph();
    }
}
