using System.Xml.Linq;
using VectorPipe.Measuring.Charts;

namespace VectorPipe.Tool.Explaining;

/// <summary>Draws what a query did when: its reads in rows, its computing below them, and the time.</summary>
/// <remarks>Places along the time are shares of the width, so that a narrow window makes bars shorter and texts no smaller.</remarks>
internal static class TimelineDrawing
{
    private const double RowHeight = 11;
    private const double RowStep = 15;
    private const double LabelHeight = 20;
    private const double WorkHeight = 30;
    private const double Gap = 14;
    private const double AxisHeight = 40;

    private static XNamespace Svg => SvgChart.Svg;

    public static XElement Draw(QueryTimeline timeline, double elapsedUs)
    {
        Axis time = Axis.Linear("microseconds since the search was accepted", [elapsedUs], fromZero: true);
        IReadOnlyList<IReadOnlyList<TimelineRead>> rows = timeline.Rows(elapsedUs);
        double workTop = LabelHeight + (Math.Max(1, rows.Count) * RowStep) + Gap + LabelHeight;
        double bottom = workTop + WorkHeight + 6;
        var svg = new XElement(
            Svg + "svg",
            new XAttribute("class", "timeline"), new XAttribute("role", "img"),
            new XAttribute("width", "100%"), SvgChart.Attribute("height", bottom + AxisHeight),
            new XElement(Svg + "title", "Reads and computing of the search over time"));
        AddTime(svg, time, bottom);
        svg.Add(SvgChart.Text(0, 13, 12, rows.Count == 0 ? "no read: all was in memory" : "reads, from submission to completion"));
        for (int row = 0; row < rows.Count; row++)
            svg.Add(rows[row].Select(read => DrawRead(time, read, LabelHeight + (row * RowStep), elapsedUs)));
        svg.Add(SvgChart.Text(0, workTop - 7, 12, "the search itself: computing, or waiting"));
        svg.Add(Bar(time, "wait", new Stretch(0, elapsedUs), workTop, WorkHeight));
        AddParts(svg, time, timeline.Computing, "compute", "computing", workTop);
        AddParts(svg, time, timeline.Scoring, "score", "vectors of a page scored", workTop);
        AddParts(svg, time, timeline.Following, "follow", "links of a vector followed", workTop);
        svg.Add(Line(Place(time, elapsedUs), 0, bottom, "answer"));
        return svg;
    }

    private static void AddTime(XElement svg, Axis time, double bottom)
    {
        for (int i = 0; i < time.Ticks.Count; i++)
        {
            string place = Place(time, time.Ticks[i]);
            string anchor = i == 0 ? "start" : i == time.Ticks.Count - 1 ? "end" : "middle";
            svg.Add(
                Line(place, LabelHeight, bottom, "grid"),
                new XElement(
                    Svg + "text",
                    new XAttribute("x", place), SvgChart.Attribute("y", bottom + 15), new XAttribute("font-size", 11),
                    new XAttribute("text-anchor", anchor), time.Format(time.Ticks[i])));
        }

        svg.Add(SvgChart.Text(0, bottom + 33, 11, time.Label));
    }

    private static XElement DrawRead(Axis time, TimelineRead read, double top, double elapsedUs) => read.ToUs is { } landed
        ? Bar(
            time, "read", new Stretch(read.FromUs, landed), top, RowHeight,
            PageText.Of($"page {read.Page}: submitted at {PageText.Us(read.FromUs)}, landed after {PageText.Us(landed - read.FromUs)}"))
        : Bar(
            time, "read open", new Stretch(read.FromUs, elapsedUs), top, RowHeight,
            PageText.Of($"page {read.Page}: submitted at {PageText.Us(read.FromUs)}; the answer did not wait for it"));

    private static void AddParts(XElement svg, Axis time, IReadOnlyList<Stretch> parts, string look, string name, double top) =>
        svg.Add(parts.Select(part => Bar(time, look, part, top, WorkHeight, $"{name}, {PageText.Us(part.LengthUs)}")));

    private static XElement Bar(Axis time, string look, Stretch stretch, double top, double height, string? tip = null) => new(
        Svg + "rect",
        new XAttribute("class", look),
        new XAttribute("x", Place(time, stretch.FromUs)), SvgChart.Attribute("y", top),
        new XAttribute("width", Share(time.PositionOf(stretch.ToUs) - time.PositionOf(stretch.FromUs))),
        SvgChart.Attribute("height", height),
        tip is null ? null : new XElement(Svg + "title", tip));

    private static XElement Line(string x, double top, double bottom, string look) => new(
        Svg + "line",
        new XAttribute("class", look), new XAttribute("x1", x), new XAttribute("x2", x),
        SvgChart.Attribute("y1", top), SvgChart.Attribute("y2", bottom));

    private static string Place(Axis time, double us) => Share(time.PositionOf(us));

    private static string Share(double share) => PageText.Of($"{100 * share:0.###}%");
}
