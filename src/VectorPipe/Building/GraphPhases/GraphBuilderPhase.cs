using VectorPipe.Building.Graphs;
using VectorPipe.Building.Phases;

namespace VectorPipe.Building.GraphPhases;

/// <summary>Builds the graph by a builder from outside the library, for comparisons.</summary>
internal sealed class GraphBuilderPhase(GraphSize size, GraphWork work, IGraphBuilder builder) : WorkPhase
{
    public override string Name => "graph";

    public override PhaseNeeds Needs(int threads, bool isPaged) =>
        new(size.HeldBytes(threads, positions: 3), size.TableBytes(2, isPaged), size.SearchBytes(threads));

    public override double Seconds(int threads) => size.Vectors.Seconds(size.Count, 65, 215, threads);

    public override void Run(BuildRun run)
    {
        PointTable points = work.RequirePoints();
        work.Points = null;
        work.Graph =
            builder.Build(points, work.Parameters with { Threads = run.Threads }, work.Report, run.Progress, run.CancellationToken);
    }
}
