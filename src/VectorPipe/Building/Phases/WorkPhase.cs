namespace VectorPipe.Building.Phases;

/// <summary>A phase that computes on its own thread and on worker threads.</summary>
internal abstract class WorkPhase : Phase
{
    public sealed override Task RunAsync(BuildRun run)
    {
        Run(run);
        return Task.CompletedTask;
    }

    public abstract void Run(BuildRun run);
}
