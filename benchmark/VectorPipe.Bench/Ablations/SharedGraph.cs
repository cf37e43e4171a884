using VectorPipe.Building.GraphPhases;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Layout;
using VectorPipe.Building.Partitioned;
using VectorPipe.Building.Work;

namespace VectorPipe.Bench.Ablations;

/// <summary>Builds a graph once, and lends it to every build of the same vectors. Not thread-safe; outlives those builds.</summary>
internal sealed class SharedGraph : IGraphBuilder, IDisposable
{
    private readonly GraphReport _report = new();
    private BuiltGraph? _graph;

    public BuiltGraph Build(
        PointTable points, GraphParameters parameters, GraphReport report, IProgress<GraphProgress>? progress,
        CancellationToken cancellationToken)
    {
        if (_graph is null)
            _graph = new PartitionedBuilder(new PartitionedOptions { KeptNearest = AffinityRanker.Neighbours })
                .Build(points, parameters, _report, progress, cancellationToken);
        else
            points.Dispose();
        report.ReachableBeforeRepair = _report.ReachableBeforeRepair;
        report.Reachable = _report.Reachable;
        report.LinksAdded = _report.LinksAdded;
        report.MeanDegree = _report.MeanDegree;
        report.Checked = _report.Checked;
        report.FoundThemselves = _report.FoundThemselves;
        report.Distances = _report.Distances;
        return _graph.Borrow();
    }

    public void Dispose() => _graph?.Dispose();
}
