using VectorPipe.Building;

namespace VectorPipe;

/// <summary>Passes the graph builder's progress on to the user.</summary>
internal sealed class GraphProgressRelay : IProgress<GraphProgress>
{
    private readonly IProgress<BuildProgress>? _progress;

    public GraphProgressRelay(IProgress<BuildProgress>? progress) => _progress = progress;

    /// <inheritdoc/>
    public void Report(GraphProgress value) => _progress?.Report(new BuildProgress($"graph: {value.Phase}", value.Done, value.Total));
}
