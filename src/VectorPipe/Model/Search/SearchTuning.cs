namespace VectorPipe.Model.Search;

/// <summary>Settings of a search beyond those that a program needs, for benchmarks, calibrations and tests.</summary>
/// <remarks>The floor that searches defines them: options carry them without knowing them.</remarks>
internal abstract record SearchTuning;
