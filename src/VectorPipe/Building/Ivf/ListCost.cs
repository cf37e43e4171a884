namespace VectorPipe.Building.Ivf;

/// <summary>What a phase of a build of lists will take.</summary>
/// <param name="Name">Name of the phase.</param>
/// <param name="MemoryBytes">Bytes of memory at most.</param>
/// <param name="BytesRead">Bytes read, about.</param>
/// <param name="BytesWritten">Bytes written, about.</param>
/// <param name="Seconds">Seconds, about.</param>
internal readonly record struct ListCost(string Name, long MemoryBytes, long BytesRead, long BytesWritten, double Seconds);
