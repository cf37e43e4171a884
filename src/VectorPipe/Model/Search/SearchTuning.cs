namespace VectorPipe.Model.Search;

/// <summary>Marks settings of a search for benchmarks, calibrations and tests.</summary>
/// <remarks>Searching, a higher floor, defines them; options only carry them.</remarks>
internal abstract record SearchTuning;
