using System.Xml.Linq;

namespace VectorPipe.Measuring.Charts;

/// <summary>Draws one pair of axes with its lines.</summary>
internal static class SvgPanel
{
    /// <summary>Size of a panel with its labels.</summary>
    public const double Width = 480;
    public const double Height = 320;

    private const double Left = 76;
    private const double Right = 24;
    private const double Top = 34;
    private const double Bottom = 56;
    private const double PlotWidth = Width - Left - Right;
    private const double PlotHeight = Height - Top - Bottom;

    // Labels of the x axis that are nearer than this would overlap.
    private const double LabelDistance = 34;

    private static XNamespace Svg => SvgChart.Svg;

    /// <summary>The rectangle between the axes of a panel whose upper left corner is the origin.</summary>
    public static (double X1, double Y1, double X2, double Y2) Plot => (Left, Top, Left + PlotWidth, Top + PlotHeight);

    /// <summary>The place of a point in a panel whose upper left corner is the origin.</summary>
    public static (double X, double Y) PlaceOf(ChartPanel panel, ChartPoint point) =>
        (Left + (panel.X.PositionOf(point.X) * PlotWidth), Top + ((1 - panel.Y.PositionOf(point.Y)) * PlotHeight));

    /// <summary>Draws a panel with its upper left corner at a point.</summary>
    public static XElement Draw(ChartPanel panel, double x, double y)
    {
        var group = new XElement(
            Svg + "g",
            new XAttribute("class", "panel"),
            new XAttribute("transform", $"translate({SvgChart.Number(x)} {SvgChart.Number(y)})"));
        group.Add(SvgChart.Text(Left, Top - 12, 13, panel.Title, new XAttribute("font-weight", "bold")));
        DrawXAxis(group, panel.X);
        DrawYAxis(group, panel.Y);
        group.Add(new XElement(
            Svg + "rect",
            new XAttribute("class", "plot"),
            SvgChart.Attribute("x", Left), SvgChart.Attribute("y", Top),
            SvgChart.Attribute("width", PlotWidth), SvgChart.Attribute("height", PlotHeight),
            new XAttribute("fill", "none"),
            new XAttribute("stroke", "#333333")));
        for (int i = 0; i < panel.Series.Count; i++)
            DrawSeries(group, panel, panel.Series[i], LineStyle.Of(i));
        return group;
    }

    private static void DrawXAxis(XElement group, Axis axis)
    {
        double lastLabel = double.NegativeInfinity;
        foreach (double tick in axis.Ticks)
        {
            double x = Left + (axis.PositionOf(tick) * PlotWidth);
            group.Add(Grid(x, Top, x, Top + PlotHeight));
            if (x - lastLabel < LabelDistance)
                continue;
            lastLabel = x;
            group.Add(SvgChart.Text(x, Top + PlotHeight + 16, 11, axis.Format(tick), new XAttribute("text-anchor", "middle")));
        }

        group.Add(SvgChart.Text(Left + (PlotWidth / 2), Top + PlotHeight + 36, 12, axis.Label, new XAttribute("text-anchor", "middle")));
    }

    private static void DrawYAxis(XElement group, Axis axis)
    {
        foreach (double tick in axis.Ticks)
        {
            double y = Top + ((1 - axis.PositionOf(tick)) * PlotHeight);
            group.Add(Grid(Left, y, Left + PlotWidth, y));
            group.Add(SvgChart.Text(Left - 7, y + 4, 11, axis.Format(tick), new XAttribute("text-anchor", "end")));
        }

        double middle = Top + (PlotHeight / 2);
        group.Add(SvgChart.Text(
            0, 0, 12, axis.Label, new XAttribute("text-anchor", "middle"),
            new XAttribute("transform", $"translate(16 {SvgChart.Number(middle)}) rotate(-90)")));
    }

    private static void DrawSeries(XElement group, ChartPanel panel, ChartSeries series, LineStyle style)
    {
        (double X, double Y)[] points = [.. series.Points
            .Where(point => double.IsFinite(point.X) && double.IsFinite(point.Y))
            .Select(point => PlaceOf(panel, point))];
        var line = new XElement(
            Svg + "g",
            new XAttribute("class", "series"),
            new XElement(Svg + "title", series.Name),
            new XElement(
                Svg + "polyline",
                new XAttribute(
                    "points", string.Join(' ', points.Select(point => $"{SvgChart.Number(point.X)},{SvgChart.Number(point.Y)}"))),
                new XAttribute("fill", "none"),
                new XAttribute("stroke", style.Color),
                new XAttribute("stroke-width", "1.6"),
                new XAttribute("stroke-dasharray", style.Dashes)));
        foreach ((double x, double y) in points)
            line.Add(SvgChart.Marker(style, x, y));
        group.Add(line);
    }

    private static XElement Grid(double x1, double y1, double x2, double y2) => new(
        Svg + "line",
        SvgChart.Attribute("x1", x1), SvgChart.Attribute("y1", y1), SvgChart.Attribute("x2", x2), SvgChart.Attribute("y2", y2),
        new XAttribute("stroke", "#DDDDDD"));
}
