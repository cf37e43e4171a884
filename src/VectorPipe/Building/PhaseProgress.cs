using VectorPipe.Building.Work;

namespace VectorPipe.Building;

/// <summary>Reports progress to the user under the name of the running phase.</summary>
internal sealed class PhaseProgress(IProgress<BuildProgress>? progress) : IProgress<GraphProgress>
{
    private volatile string _name = "";

    public void Begin(string name)
    {
        _name = name;
        progress?.Report(new BuildProgress(name, 0, 1));
    }

    public void Report(GraphProgress value) => progress?.Report(new BuildProgress(_name, value.Done, value.Total));
}
