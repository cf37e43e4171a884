namespace VectorPipe.Building.Work;

/// <summary>Units done of a phase, and all of its units.</summary>
internal readonly record struct GraphProgress(string Phase, long Done, long Total);
