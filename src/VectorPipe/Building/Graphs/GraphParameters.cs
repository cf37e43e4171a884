namespace VectorPipe.Building.Graphs;

/// <summary>Parameters of a graph build.</summary>
/// <param name="MaxDegree">R: most out-links a point.</param>
/// <param name="ListSize">L: candidates that searches of the build keep; in a partitioned build those that repair reachability.</param>
/// <param name="Alpha">Occlusion factor of the final links, on the metric's build distance; at least 1.</param>
/// <param name="Threads">Worker threads. The same seed gives the same graph at any number of them (partitioned) or at one (Vamana).</param>
/// <param name="Seed">Seed of every random choice.</param>
internal sealed record GraphParameters(int MaxDegree, int ListSize, float Alpha, int Threads, ulong Seed);
