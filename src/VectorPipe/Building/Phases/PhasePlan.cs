namespace VectorPipe.Building.Phases;

/// <summary>The share of a phase in the memory of a build, and its costs.</summary>
/// <param name="Phase">The phase.</param>
/// <param name="HeldBytes">Bytes beside tables.</param>
/// <param name="PagedBytes">Bytes that tables may have in memory; all without a budget.</param>
/// <param name="TableBytes">Bytes of the tables.</param>
/// <param name="ScratchBytes">Most bytes of scratch files.</param>
/// <param name="Seconds">Seconds, about.</param>
internal sealed record PhasePlan(Phase Phase, long HeldBytes, long PagedBytes, long TableBytes, long ScratchBytes, double Seconds)
{
    /// <summary>Most bytes of memory.</summary>
    public long TakenBytes => HeldBytes + Math.Min(PagedBytes, TableBytes);
}
