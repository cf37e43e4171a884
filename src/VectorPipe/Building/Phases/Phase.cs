namespace VectorPipe.Building.Phases;

/// <summary>A phase of a build: states what it will take, and runs.</summary>
/// <remarks>
/// A build is an ordered list of phases. Plan, budget, progress, timing and report follow from the list, so each figure is stated once,
/// beside the arrays that it counts.
/// All figures are upper bounds that follow from the shape of the data; only seconds are rough. Used by one build.
/// </remarks>
internal abstract class Phase
{
    /// <summary>The phase's name in plans, progress and reports.</summary>
    public abstract string Name { get; }

    /// <summary>The memory without which the phase cannot run.</summary>
    /// <param name="threads">Worker threads.</param>
    /// <param name="isPaged">Whether tables are paged.</param>
    public abstract PhaseNeeds Needs(int threads, bool isPaged);

    /// <summary>Processor seconds, about.</summary>
    /// <param name="threads">Worker threads that run at a time.</param>
    public abstract double Seconds(int threads);

    /// <summary>Takes memory beyond the least, if the phase has use for it. Called once, before the build.</summary>
    /// <param name="room">Bytes that are free; null for no bound.</param>
    /// <param name="threads">Worker threads.</param>
    /// <returns>Bytes taken.</returns>
    public virtual long Grow(long? room, int threads) => 0;

    /// <summary>Most bytes of the phase's own scratch files, beside those of paged tables. Called after <see cref="Grow"/>.</summary>
    public virtual long ScratchBytes => 0;

    /// <summary>Does the work.</summary>
    /// <param name="run">The build that the phase is a part of.</param>
    public abstract Task RunAsync(BuildRun run);
}
