namespace VectorPipe.Measuring.Charts;

/// <summary>A line: its name in the legend, and its points in order.</summary>
internal sealed record ChartSeries(string Name, IReadOnlyList<ChartPoint> Points);
