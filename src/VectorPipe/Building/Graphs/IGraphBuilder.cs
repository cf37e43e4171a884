using VectorPipe.Building.Work;

namespace VectorPipe.Building.Graphs;

/// <summary>Builds a graph of points.</summary>
internal interface IGraphBuilder
{
    /// <summary>Builds a graph in which every point is reachable from <see cref="BuiltGraph.Entry"/>.</summary>
    /// <param name="points">The points; freed no later than the graph, or at once if this method fails.</param>
    /// <param name="parameters">Validated by the caller.</param>
    /// <param name="report">Receives results and repairs.</param>
    /// <param name="progress">Receives phase and progress, a few times a second at most; may be null.</param>
    /// <param name="cancellationToken">Observed within a second at any point.</param>
    BuiltGraph Build(
        PointTable points, GraphParameters parameters, GraphReport report, IProgress<GraphProgress>? progress,
        CancellationToken cancellationToken);
}
