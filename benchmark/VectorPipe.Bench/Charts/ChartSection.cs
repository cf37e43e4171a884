namespace VectorPipe.Bench.Charts;

/// <summary>Panels, two in a row, above a common legend.</summary>
/// <param name="Panels">One or more; all have series of the same names in the same order.</param>
internal sealed record ChartSection(IReadOnlyList<ChartPanel> Panels);
