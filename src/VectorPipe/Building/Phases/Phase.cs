namespace VectorPipe.Building.Phases;

/// <summary>A phase of a build: states its memory, scratch and time, and runs.</summary>
/// <remarks>
/// A build is an ordered list of phases; plan, budget, progress, timing and report follow from the list. All figures are upper bounds that
/// follow from the size of the data; only seconds are rough. Used by one build.
/// </remarks>
internal abstract class Phase
{
    /// <summary>Name in plans, progress and reports.</summary>
    public abstract string Name { get; }

    /// <summary>Number of the snapshot that has its result: a build that is taken up from there leaves it out. None by default.</summary>
    public int Stage { get; init; } = int.MaxValue;

    /// <summary>The least memory of the phase.</summary>
    public abstract PhaseNeeds Needs(int threads, bool isPaged);

    /// <summary>Processor seconds, about.</summary>
    public abstract double Seconds(int threads);

    /// <summary>
    /// Takes memory beyond the least, of <paramref name="room"/> free bytes (null for no bound), and returns the bytes taken. Called once,
    /// before the build.
    /// </summary>
    public virtual long Grow(long? room, int threads) => 0;

    /// <summary>Most bytes of scratch files, beside those of paged tables. Read after <see cref="Grow"/>.</summary>
    public virtual long ScratchBytes => 0;

    public abstract Task RunAsync(BuildRun run);
}
