namespace VectorPipe;

/// <summary>Where a build, an import, an export or the opening of an index stands.</summary>
/// <param name="Phase">Name of the phase: of a build those of its <see cref="BuildPlan"/>, except for pack; of an import identify, nodes,
/// codes; of an export write; of opening warm-up, cache.</param>
/// <param name="Done">Units of the phase that are done.</param>
/// <param name="Total">Units of the phase.</param>
public readonly record struct BuildProgress(string Phase, long Done, long Total);
