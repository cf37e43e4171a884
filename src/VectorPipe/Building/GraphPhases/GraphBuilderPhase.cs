using VectorPipe.Building.Graphs;
using VectorPipe.Building.Phases;

namespace VectorPipe.Building.GraphPhases;

/// <summary>Has a graph made by a builder that is not the library's: for comparisons.</summary>
internal sealed class GraphBuilderPhase(GraphSize size, GraphWork work, IGraphBuilder builder) : WorkPhase
{
    /// <inheritdoc/>
    public override string Name => "graph";

    /// <inheritdoc/>
    public override PhaseNeeds Needs(int threads, bool isPaged) =>
        new(size.HeldBytes(threads, positions: 3), size.TableBytes(2, isPaged), size.SearchBytes(threads));

    /// <inheritdoc/>
    public override double Seconds(int threads) => size.Vectors.Seconds(size.Count, 65, 215, threads);

    /// <inheritdoc/>
    public override void Run(BuildRun run)
    {
        PointTable points = work.RequirePoints();
        work.Points = null;
        work.Graph =
            builder.Build(points, work.Parameters with { Threads = run.Threads }, work.Report, run.Progress, run.CancellationToken);
    }
}
