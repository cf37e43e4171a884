namespace VectorPipe.Measuring.Charts;

/// <summary>Panels, two in a row, above a common legend.</summary>
/// <param name="Panels">One or more; all have the same series in the same order.</param>
internal sealed record ChartSection(IReadOnlyList<ChartPanel> Panels);
