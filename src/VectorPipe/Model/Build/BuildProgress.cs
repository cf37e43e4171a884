namespace VectorPipe;

/// <summary>Progress of a build, an import, an export, a calibration or the opening of an index.</summary>
/// <param name="Phase">Name of the phase; a build reports the phases of its <see cref="BuildPlan"/>.</param>
/// <param name="Done">Units of the phase that are done.</param>
/// <param name="Total">Units of the phase.</param>
public readonly record struct BuildProgress(string Phase, long Done, long Total);
