namespace VectorPipe;

/// <summary>What a phase of a build cost.</summary>
/// <param name="Name">Name of the phase.</param>
/// <param name="WallSeconds">Time it took.</param>
/// <param name="CpuSeconds">Processor time of the whole process meanwhile.</param>
public sealed record BuildPhase(string Name, double WallSeconds, double CpuSeconds);
