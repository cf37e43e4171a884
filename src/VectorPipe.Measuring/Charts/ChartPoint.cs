namespace VectorPipe.Measuring.Charts;

/// <summary>A point of a line.</summary>
internal readonly record struct ChartPoint(double X, double Y);
