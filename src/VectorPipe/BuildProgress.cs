namespace VectorPipe;

/// <summary>Where a build stands.</summary>
/// <param name="Phase">Name of the phase: read, train, encode, graph, pack, write.</param>
/// <param name="Done">Units of the phase that are done.</param>
/// <param name="Total">Units of the phase.</param>
public readonly record struct BuildProgress(string Phase, long Done, long Total);
