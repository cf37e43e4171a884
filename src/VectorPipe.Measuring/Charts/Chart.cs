namespace VectorPipe.Measuring.Charts;

/// <summary>Sections under a common title.</summary>
/// <param name="Parameters">The conditions of the measurement.</param>
/// <param name="Sections">One or more.</param>
internal sealed record Chart(string Title, string Parameters, IReadOnlyList<ChartSection> Sections);
