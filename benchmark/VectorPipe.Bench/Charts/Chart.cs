namespace VectorPipe.Bench.Charts;

/// <summary>Sections under a common title.</summary>
/// <param name="Title">What was measured.</param>
/// <param name="Parameters">What is needed to measure it again.</param>
/// <param name="Sections">One or more.</param>
internal sealed record Chart(string Title, string Parameters, IReadOnlyList<ChartSection> Sections);
