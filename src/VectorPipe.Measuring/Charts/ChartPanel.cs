namespace VectorPipe.Measuring.Charts;

/// <summary>One pair of axes with its lines. Immutable.</summary>
internal sealed record ChartPanel(string Title, Axis X, Axis Y, IReadOnlyList<ChartSeries> Series)
{
    /// <summary>A panel of rows, with a line for each series, and a y axis from zero.</summary>
    public static ChartPanel Create<TRow>(
        string title, string label, Axis x, IReadOnlyList<TRow> rows, Func<TRow, string> series, Func<TRow, double> xOf,
        Func<TRow, double> yOf) => new(
        title, x, Axis.Linear(label, rows.Select(yOf), fromZero: true),
        [
            .. rows.GroupBy(series).Select(group => new ChartSeries(
                group.Key, [.. group.OrderBy(xOf).Select(row => new ChartPoint(xOf(row), yOf(row)))])),
        ]);
}
