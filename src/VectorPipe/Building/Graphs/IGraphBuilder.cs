using VectorPipe.Building.Work;

namespace VectorPipe.Building.Graphs;

/// <summary>The seam behind which the way a graph is built may change: points in, graph out.</summary>
internal interface IGraphBuilder
{
    /// <summary>Builds a graph in which every point is reachable from <see cref="BuiltGraph.Entry"/>.</summary>
    /// <param name="points">The points; taken over: freed when they are no longer needed, at the latest with the graph, and at once when
    /// this method fails.</param>
    /// <param name="parameters">Degree, list size, alpha, threads, seed; validated by the caller.</param>
    /// <param name="report">What was repaired; filled in by the builder.</param>
    /// <param name="progress">Told the phase and its share done, a few times a second at most; may be null.</param>
    /// <param name="cancellationToken">Observed within a second at any point.</param>
    BuiltGraph Build(
        PointTable points, GraphParameters parameters, GraphReport report, IProgress<GraphProgress>? progress,
        CancellationToken cancellationToken);
}
