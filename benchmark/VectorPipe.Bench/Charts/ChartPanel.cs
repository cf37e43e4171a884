namespace VectorPipe.Bench.Charts;

/// <summary>One pair of axes with its lines. Immutable.</summary>
internal sealed record ChartPanel(string Title, Axis X, Axis Y, IReadOnlyList<ChartSeries> Series);
