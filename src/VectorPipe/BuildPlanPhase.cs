namespace VectorPipe;

/// <summary>What a phase of a build will take.</summary>
/// <param name="Name">Name of the phase, as <see cref="BuildProgress.Phase"/> has it.</param>
/// <param name="MemoryBytes">Bytes of memory at most, above what the process holds when the build begins.</param>
/// <param name="BytesRead">Bytes read, about: of the vectors and, under a budget, of scratch files.</param>
/// <param name="BytesWritten">Bytes written, about: of the index and, under a budget, of scratch files.</param>
/// <param name="EstimatedSeconds">Seconds, about.</param>
public sealed record BuildPlanPhase(string Name, long MemoryBytes, long BytesRead, long BytesWritten, double EstimatedSeconds);
