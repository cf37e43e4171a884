namespace VectorPipe.Building.Phases;

/// <summary>What a phase gets of a build's memory, and what it will take.</summary>
/// <param name="Phase">The phase.</param>
/// <param name="HeldBytes">Bytes beside tables.</param>
/// <param name="PagedBytes">Bytes that tables may have in memory; without a budget all of them.</param>
/// <param name="TableBytes">Bytes of the tables.</param>
/// <param name="ScratchBytes">Most bytes of scratch files.</param>
/// <param name="Seconds">Seconds, about.</param>
internal sealed record PhasePlan(Phase Phase, long HeldBytes, long PagedBytes, long TableBytes, long ScratchBytes, double Seconds)
{
    /// <summary>Bytes that the phase takes, at most.</summary>
    public long TakenBytes => HeldBytes + Math.Min(PagedBytes, TableBytes);
}
