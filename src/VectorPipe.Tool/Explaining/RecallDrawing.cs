using System.Xml.Linq;
using VectorPipe.Measuring.Charts;

namespace VectorPipe.Tool.Explaining;

/// <summary>Draws the calibration of an index: recall against pages read, with the chosen point and the pages of the search.</summary>
internal static class RecallDrawing
{
    private const double LabelGap = 10;
    private const double LabelLine = 16;
    private const double LabelWidth = 140;

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
        AddSearch(svg, panel, pages);
        if (chosen is { } marked)
            AddChosen(svg, panel, marked);
        return svg;
    }

    private static ChartPoint PointOf(IndexCalibrationPoint point) => new(point.Reads, point.Recall);

    private static void AddSearch(XElement svg, ChartPanel panel, int pages)
    {
        (_, double top, _, double bottom) = SvgPanel.Plot;
        double x = SvgPanel.PlaceOf(panel, new ChartPoint(pages, panel.Y.Ticks[0])).X;
        svg.Add(Line("search", x, top, x, bottom), Label(x, bottom - LabelGap, "search", PageText.Of($"this search: {pages:N0} pages")));
    }

    private static void AddChosen(XElement svg, ChartPanel panel, IndexCalibrationPoint chosen)
    {
        (double left, _, _, double bottom) = SvgPanel.Plot;
        (double x, double y) = SvgPanel.PlaceOf(panel, PointOf(chosen));
        svg.Add(
            Line("drop", left, y, x, y), Line("drop", x, y, x, bottom),
            Label(x, bottom - LabelGap - (2 * LabelLine) - 4, "chosen", PageText.Of($"chosen: recall {chosen.Recall:0.000}")),
            Label(x, bottom - LabelGap - LabelLine - 4, "chosen", PageText.Of($"with {chosen.Reads:0.0} pages")));
    }

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
