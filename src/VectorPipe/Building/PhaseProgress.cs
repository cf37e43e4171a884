using VectorPipe.Building.Work;

namespace VectorPipe.Building;

/// <summary>Passes the progress of a build's phases on to the user, under the name of the running phase.</summary>
/// <param name="progress">Receives it; may be null.</param>
internal sealed class PhaseProgress(IProgress<BuildProgress>? progress) : IProgress<GraphProgress>
{
    private volatile string _name = "";

    /// <summary>Begins a phase.</summary>
    public void Begin(string name)
    {
        _name = name;
        progress?.Report(new BuildProgress(name, 0, 1));
    }

    /// <inheritdoc/>
    public void Report(GraphProgress value) => progress?.Report(new BuildProgress(_name, value.Done, value.Total));
}
