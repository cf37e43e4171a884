namespace VectorPipe.Building;

/// <summary>Parameters of a graph build.</summary>
/// <param name="MaxDegree">R: most out-links a point.</param>
/// <param name="ListSize">L: candidates that the build's own searches keep.</param>
/// <param name="Alpha">Occlusion factor of the second pass, on the metric's build distance; at least 1.</param>
/// <param name="Threads">Worker threads. One thread gives the same graph for the same seed.</param>
/// <param name="Seed">Seed of every random choice.</param>
internal sealed record GraphParameters(int MaxDegree, int ListSize, float Alpha, int Threads, ulong Seed);
