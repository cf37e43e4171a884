namespace VectorPipe.Building.Work;

/// <summary>Where a graph build stands.</summary>
/// <param name="Phase">The phase's name.</param>
/// <param name="Done">Units of the phase that are done.</param>
/// <param name="Total">Units of the phase.</param>
internal readonly record struct GraphProgress(string Phase, long Done, long Total);
