namespace VectorPipe.Building.Phases;

/// <summary>A phase that computes from beginning to end on the thread that runs it and on worker threads.</summary>
internal abstract class WorkPhase : Phase
{
    /// <inheritdoc/>
    public sealed override Task RunAsync(BuildRun run)
    {
        Run(run);
        return Task.CompletedTask;
    }

    /// <summary>Does the work.</summary>
    /// <param name="run">The build that the phase is a part of.</param>
    public abstract void Run(BuildRun run);
}
