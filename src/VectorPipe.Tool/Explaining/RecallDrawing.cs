using System.Xml.Linq;
using VectorPipe.Measuring.Charts;

namespace VectorPipe.Tool.Explaining;

/// <summary>Draws the calibration of an index: recall against pages read, with the chosen point and the pages of the search.</summary>
internal static class RecallDrawing
{
    private const double LabelGap = 10;
    private const double LabelLine = 16;
    private const double LabelWidth = 175;

    // A panel has room for a title, which stands above the figure here.
    private const double Cut = 22;

    // Where the dearest point reads so many times as much as the cheapest, a linear axis would crowd most points.
    private const double WideRange = 30;

    private static XNamespace Svg => SvgChart.Svg;

    /// <param name="chosen">The point that the options chose; null for none.</param>
    /// <param name="pages">Pages that the search read.</param>
    public static XElement Draw(IReadOnlyList<IndexCalibrationPoint> points, IndexCalibrationPoint? chosen, int pages)
    {
        double[] reads = [.. points.Select(point => point.Reads), pages];
        const string label = "pages read a query";
        bool isWide = reads.Min() > 0 && reads.Max() > WideRange * reads.Min();
        Axis x = isWide ? Axis.Log(label, reads) : Axis.Linear(label, reads, fromZero: true);
        Axis y = Axis.Linear("recall@10", points.Select(point => point.Recall), fromZero: false);
        List<ChartSeries> series = [new("calibration", [.. points.Select(PointOf)])];
        if (chosen is { } choice)
            series.Add(new ChartSeries("chosen", [PointOf(choice)]));
        var panel = new ChartPanel("", x, y, series);
        XElement drawing = SvgPanel.Draw(panel, 0, 0);
        if (chosen is not null)
            drawing.Elements().Last().SetAttributeValue("class", "series chosen");
        var svg = new XElement(
            Svg + "svg",
            new XAttribute("class", "recall"), new XAttribute("role", "img"),
            new XAttribute("viewBox", PageText.Of($"0 {Cut} {SvgPanel.Width} {SvgPanel.Height - Cut - LabelGap}")),
            new XElement(Svg + "title", "Recall against pages read, as the calibration of the index measured it"),
            drawing);

        // Texts come last: they cover the lines that they cross.
        svg.Add(SearchLine(panel, pages), chosen is { } place ? ChosenLines(panel, place) : null);
        svg.Add(SearchLabel(panel, pages), chosen is { } point ? ChosenLabels(panel, point) : null);
        return svg;
    }

    private static ChartPoint PointOf(IndexCalibrationPoint point) => new(point.Reads, point.Recall);

    private static XElement SearchLine(ChartPanel panel, int pages)
    {
        double x = PlaceOf(panel, pages);
        return Line("search", x, SvgPanel.Plot.Y1, x, SvgPanel.Plot.Y2);
    }

    private static XElement SearchLabel(ChartPanel panel, int pages) =>
        Label(PlaceOf(panel, pages), SvgPanel.Plot.Y2 - LabelGap, "search", PageText.Of($"this search: {pages:N0} pages"));

    private static XElement[] ChosenLines(ChartPanel panel, IndexCalibrationPoint chosen)
    {
        (double x, double y) = SvgPanel.PlaceOf(panel, PointOf(chosen));
        return [Line("drop", SvgPanel.Plot.X1, y, x, y), Line("drop", x, y, x, SvgPanel.Plot.Y2)];
    }

    private static XElement[] ChosenLabels(ChartPanel panel, IndexCalibrationPoint chosen)
    {
        double x = PlaceOf(panel, chosen.Reads), bottom = SvgPanel.Plot.Y2 - LabelGap - LabelLine - 4;
        return
        [
            Label(x, bottom - LabelLine, "chosen", PageText.Of($"chosen: recall {chosen.Recall:0.000}")),
            Label(x, bottom, "chosen", PageText.Of($"with {chosen.Reads:0.0} pages")),
        ];
    }

    private static double PlaceOf(ChartPanel panel, double pages) =>
        SvgPanel.PlaceOf(panel, new ChartPoint(pages, panel.Y.Ticks[0])).X;

    // Below the curve, which rises, there is room to the right of a place, unless it is near the end.
    private static XElement Label(double x, double y, string look, string text)
    {
        bool isLeft = x > SvgPanel.Plot.X2 - LabelWidth;
        return SvgChart.Text(
            isLeft ? x - LabelGap : x + LabelGap, y, 12, text,
            new XAttribute("class", look), new XAttribute("text-anchor", isLeft ? "end" : "start"));
    }

    private static XElement Line(string look, double x1, double y1, double x2, double y2) => new(
        Svg + "line",
        new XAttribute("class", look),
        SvgChart.Attribute("x1", x1), SvgChart.Attribute("y1", y1), SvgChart.Attribute("x2", x2), SvgChart.Attribute("y2", y2));
}
