using System.Globalization;
using System.Xml.Linq;

namespace VectorPipe.Measuring.Charts;

/// <summary>Draws charts as SVG documents.</summary>
internal static class SvgChart
{
    private const int Columns = 2;
    private const double Margin = 16;
    private const double SectionGap = 14;
    private const double TitleLine = 18;
    private const double LegendLine = 20;
    private const double LegendSample = 40;

    // Upper bound of the mean width of a character in the small font.
    private const double CharacterWidth = 6.4;

    public static XNamespace Svg { get; } = "http://www.w3.org/2000/svg";

    public static async Task WriteAsync(Chart chart, string path, CancellationToken cancellationToken)
    {
        await using FileStream file = File.Create(path);
        await Draw(chart).SaveAsync(file, SaveOptions.None, cancellationToken);
    }

    public static XDocument Draw(Chart chart)
    {
        double width = (2 * Margin) + (Columns * SvgPanel.Width);
        string[] parameters = Wrap(chart.Parameters, (int)((width - (2 * Margin)) / CharacterWidth));
        var sections = new XElement(Svg + "g");
        double y = Margin + (TitleLine * (1 + parameters.Length)) + 6;
        foreach (ChartSection section in chart.Sections)
            y = DrawSection(sections, section, width, y);
        double height = y + Margin;

        var root = new XElement(
            Svg + "svg",
            Attribute("width", width), Attribute("height", height),
            new XAttribute("viewBox", $"0 0 {Number(width)} {Number(height)}"),
            new XAttribute("font-family", "Helvetica, Arial, sans-serif"),
            new XElement(Svg + "title", chart.Title),
            new XElement(Svg + "rect", Attribute("width", width), Attribute("height", height), new XAttribute("fill", "white")),
            Text(Margin, Margin + 12, 15, chart.Title, new XAttribute("font-weight", "bold")));
        for (int i = 0; i < parameters.Length; i++)
            root.Add(Text(Margin, Margin + 12 + (TitleLine * (i + 1)), 11, parameters[i]));
        root.Add(sections);
        return new XDocument(root);
    }

    /// <summary>A text that begins at a point, unless the attributes anchor it differently.</summary>
    internal static XElement Text(double x, double y, double size, string text, params object[] attributes) =>
        new(Svg + "text", Attribute("x", x), Attribute("y", y), Attribute("font-size", size), attributes, text);

    internal static XElement Marker(LineStyle style, double x, double y) => new(
        Svg + "path",
        new XAttribute("class", "marker"),
        new XAttribute("transform", $"translate({Number(x)} {Number(y)})"),
        new XAttribute("d", style.Marker),
        new XAttribute("stroke", style.Color),
        new XAttribute("fill", style.IsFilled ? style.Color : "white"));

    internal static XAttribute Attribute(string name, double value) => new(name, Number(value));

    internal static string Number(double value) => value.ToString("0.##", CultureInfo.InvariantCulture);

    // Draws a section and returns its bottom.
    private static double DrawSection(XElement parent, ChartSection section, double width, double top)
    {
        for (int i = 0; i < section.Panels.Count; i++)
            parent.Add(SvgPanel.Draw(section.Panels[i], Margin + (i % Columns * SvgPanel.Width), top + (i / Columns * SvgPanel.Height)));
        int rows = (section.Panels.Count + Columns - 1) / Columns;
        double legendTop = top + (rows * SvgPanel.Height) + 4;
        (XElement legend, double legendHeight) = DrawLegend(section.Panels[0].Series, width, legendTop);
        parent.Add(legend);
        return legendTop + legendHeight + SectionGap;
    }

    private static (XElement Legend, double Height) DrawLegend(IReadOnlyList<ChartSeries> series, double width, double top)
    {
        var legend = new XElement(Svg + "g", new XAttribute("class", "legend"));
        double x = Margin;
        double y = top + (LegendLine / 2);
        for (int i = 0; i < series.Count; i++)
        {
            double entry = LegendSample + 8 + (series[i].Name.Length * CharacterWidth) + 16;
            if (x > Margin && x + entry > width - Margin)
                (x, y) = (Margin, y + LegendLine);
            LineStyle style = LineStyle.Of(i);
            legend.Add(
                new XElement(
                    Svg + "line",
                    Attribute("x1", x), Attribute("y1", y), Attribute("x2", x + LegendSample), Attribute("y2", y),
                    new XAttribute("stroke", style.Color),
                    new XAttribute("stroke-width", "1.6"),
                    new XAttribute("stroke-dasharray", style.Dashes)),
                Marker(style, x + (LegendSample / 2), y),
                Text(x + LegendSample + 8, y + 4, 11, series[i].Name));
            x += entry;
        }

        return (legend, y + (LegendLine / 2) - top);
    }

    private static string[] Wrap(string text, int width)
    {
        List<string> lines = [""];
        foreach (string word in text.Split(' ', StringSplitOptions.RemoveEmptyEntries))
        {
            if (lines[^1].Length > 0 && lines[^1].Length + 1 + word.Length > width)
                lines.Add("");
            lines[^1] = lines[^1].Length == 0 ? word : $"{lines[^1]} {word}";
        }

        return [.. lines];
    }
}
