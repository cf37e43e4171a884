using System.Globalization;
using System.Xml.Linq;
using NUnit.Framework;
using VectorPipe.Measuring.Charts;

namespace VectorPipe.Tool.Tests.Measuring.Charts;

public sealed class SvgChartTests
{
    private static readonly string[] _names = ["beam, L 10", "pipe <&> L 10", "third"];

    [Test]
    public void A_chart_is_a_well_formed_document()
    {
        XDocument parsed = XDocument.Parse(SvgChart.Draw(Sample()).ToString());
        Assert.That(parsed.Root!.Name, Is.EqualTo(SvgChart.Svg + "svg"));
    }

    [Test]
    public void The_title_and_all_parameters_appear()
    {
        string text = string.Join(' ', SvgChart.Draw(Sample()).Descendants(SvgChart.Svg + "text").Select(element => element.Value));
        Assert.That(text, Does.Contain("A title").And.Contain("first parameter").And.Contain("last parameter"));
    }

    [Test]
    public void Every_panel_has_every_series()
    {
        foreach (XElement panel in Of(SvgChart.Draw(Sample()), "panel"))
            Assert.That(Of(panel, "series").Select(series => series.Element(SvgChart.Svg + "title")!.Value), Is.EqualTo(_names));
    }

    [Test]
    public void The_legend_names_every_series()
    {
        XElement legend = Of(SvgChart.Draw(Sample()), "legend").Single();
        Assert.That(legend.Elements(SvgChart.Svg + "text").Select(text => text.Value), Is.EqualTo(_names));
    }

    [Test]
    public void Points_lie_inside_the_plot()
    {
        foreach (XElement panel in Of(SvgChart.Draw(Sample()), "panel"))
        {
            XElement plot = Of(panel, "plot").Single();
            (double left, double top) = (Number(plot, "x"), Number(plot, "y"));
            (double right, double bottom) = (left + Number(plot, "width"), top + Number(plot, "height"));
            foreach (
                string point in panel.Descendants(SvgChart.Svg + "polyline").SelectMany(line => line.Attribute("points")!.Value.Split(' ')))
            {
                double[] xy = [.. point.Split(',').Select(number => double.Parse(number, CultureInfo.InvariantCulture))];
                Assert.That(xy[0], Is.InRange(left, right), point);
                Assert.That(xy[1], Is.InRange(top, bottom), point);
            }
        }
    }

    [Test]
    public void Every_point_has_a_marker()
    {
        XElement first = Of(SvgChart.Draw(Sample()), "series").First();
        Assert.That(Of(first, "marker").Count(), Is.EqualTo(3));
    }

    [Test]
    public void Lines_differ_without_their_colours()
    {
        var looks = Enumerable.Range(0, 60).Select(LineStyle.Of).Select(style => (style.Dashes, style.Marker, style.IsFilled));
        Assert.That(looks.Distinct().Count(), Is.EqualTo(60));
    }

    [Test]
    public void A_point_that_is_not_a_number_is_left_out()
    {
        Axis axis = Axis.Linear("x", [0, 1], fromZero: true);
        var panel = new ChartPanel("p", axis, axis, [new ChartSeries("s", [new(0, 0), new(0.5, double.NaN), new(1, 1)])]);
        XDocument document = SvgChart.Draw(new Chart("t", "", [new ChartSection([panel])]));
        Assert.That(document.ToString(), Does.Not.Contain("NaN"));
        Assert.That(Of(Of(document, "series").Single(), "marker").Count(), Is.EqualTo(2));
    }

    private static Chart Sample()
    {
        Axis x = Axis.Log("depth", [1, 512]);
        Axis y = Axis.Linear("reads a second", [0, 98_765], fromZero: true);
        ChartSeries[] series =
            [.. _names.Select((name, i) => new ChartSeries(name, [new(1, 10 * i), new(32, 50_000), new(512, 98_765 - i)]))];
        ChartPanel[] panels = [.. Enumerable.Range(1, 4).Select(i => new ChartPanel($"panel {i}", x, y, series))];
        string parameters = "first parameter, " + string.Join(' ', Enumerable.Repeat("another", 60)) + ", last parameter";
        return new Chart("A title", parameters, [new ChartSection(panels)]);
    }

    private static IEnumerable<XElement> Of(XContainer container, string name) =>
        container.Descendants().Where(element => element.Attribute("class")?.Value == name);

    private static double Number(XElement element, string name) =>
        double.Parse(element.Attribute(name)!.Value, CultureInfo.InvariantCulture);
}
