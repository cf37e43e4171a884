using System.Globalization;
using System.Runtime.InteropServices;
using System.Text.RegularExpressions;
using System.Xml.Linq;
using NUnit.Framework;
using VectorPipe.Measuring.Charts;
using VectorPipe.Measuring.Data;
using VectorPipe.Tool.Explaining;
using VectorPipe.Tool.Tests.Infrastructure;

namespace VectorPipe.Tool.Tests.Explaining;

/// <summary>What stands on the page is what the search did.</summary>
public sealed class ExplainPageTests
{
    private const int K = 7;

    private SmallIndex _small = null!;
    private string _lists = null!;
    private TempFolder _folder = null!;

    [OneTimeSetUp]
    public async Task BuildIndexes()
    {
        _small = await SmallIndex.SharedAsync();
        _folder = new TempFolder();
        _lists = _folder["lists"];
        await ToolRun.SucceedAsync("build", "--base", _small.Base, "--out", _lists, "--kind", "ivf", "--lists", "30", "--threads", "2");
    }

    [OneTimeTearDown]
    public void RemoveFiles() => _folder?.Dispose();

    [Test]
    public async Task Figures_are_those_of_the_statistics([Values] bool isIvf)
    {
        ExplainedSearch search = await SearchAsync(isIvf, SearchOptions.Default);
        SearchStatistics cost = search.Statistics;
        XElement page = Parse(search);
        using (Assert.EnterMultipleScope())
        {
            Assert.That(ValueOf(page, "reads"), Is.EqualTo($"{cost.Reads:N0}"));
            Assert.That(ValueOf(page, "pages"), Is.EqualTo($"{cost.PagesRead:N0}"));
            Assert.That(ValueOf(page, "bytes"), Is.EqualTo($"{cost.BytesRead:N0}"));
            Assert.That(ValueOf(page, "rounds"), Is.EqualTo($"{cost.Rounds:N0}"));
            Assert.That(ValueOf(page, "hops"), Is.EqualTo($"{cost.Hops:N0}"));
            Assert.That(ValueOf(page, "code-distances"), Is.EqualTo($"{cost.CodeDistances:N0}"));
            Assert.That(ValueOf(page, "exact-distances"), Is.EqualTo($"{cost.ExactDistances:N0}"));
            Assert.That(ValueOf(page, "hits"), Is.EqualTo($"{K}"));
            Assert.That(ValueOf(page, "elapsed"), Is.EqualTo(PageText.Us(cost.ElapsedUs)));
            Assert.That(ValueOf(page, "computing"), Is.EqualTo(PageText.Us(cost.CpuUs)));
            Assert.That(ValueOf(page, "kind"), Is.EqualTo(isIvf ? "lists (ivf)" : "graph"));
            Assert.That(ValueOf(page, "device"), Is.EqualTo("memory"));
            Assert.That(
                search.Summary, Does.StartWith($"{K} hits in ").And.Contain($": {cost.Reads:N0} reads ({cost.BytesRead:N0} bytes)"));
        }
    }

    [Test]
    public async Task Hits_are_those_of_the_search_in_order()
    {
        ExplainedSearch search = await SearchAsync(isIvf: false, SearchOptions.Default);
        IEnumerable<string> rows = Parse(search).Descendants("table").Single(table => (string?)table.Attribute("id") == "hits-table")
            .Element("tbody")!.Elements("tr").Select(row => string.Join(' ', row.Elements("td").Select(cell => cell.Value)));
        Assert.That(rows, Is.EqualTo(search.Search.Found.Hits.Select(
            (hit, i) => string.Create(CultureInfo.InvariantCulture, $"{i + 1} {hit.Key} {hit.Score:G6}"))));
    }

    [Test]
    public async Task Every_read_and_every_stretch_of_computing_is_a_bar([Values] bool isIvf)
    {
        ExplainedSearch search = await SearchAsync(isIvf, SearchOptions.Default);
        XElement[] bars = [.. Parse(search).Descendants(SvgChart.Svg + "rect")];
        Assert.That(Count("read") + Count("read open"), Is.EqualTo(search.Statistics.Reads).And.GreaterThan(0));
        Assert.That(Count("compute"), Is.EqualTo(search.Timeline.Computing.Count).And.GreaterThan(0));
        Assert.That(Count("score"), Is.GreaterThan(0));

        int Count(string look) => bars.Count(bar => (string?)bar.Attribute("class") == look);
    }

    [Test]
    public async Task The_computing_of_the_timeline_is_all_of_it([Values] bool isIvf)
    {
        ExplainedSearch search = await SearchAsync(isIvf, SearchOptions.Default);
        Assert.That(search.Timeline.Computing.Sum(work => work.LengthUs), Is.EqualTo(search.Statistics.CpuUs).Within(0.5));
        Assert.That(search.ComputingBesideReadsUs, Is.InRange(0, search.Statistics.CpuUs + 0.5));
    }

    [Test]
    public async Task Reads_of_a_row_do_not_overlap()
    {
        ExplainedSearch search = await SearchAsync(isIvf: false, new SearchOptions { Graph = new GraphSearch { ListSize = 300 } });
        double end = search.Statistics.ElapsedUs;
        IReadOnlyList<IReadOnlyList<TimelineRead>> rows = search.Timeline.Rows(end);
        Assert.That(rows.Sum(row => row.Count), Is.EqualTo(search.Statistics.Reads));
        foreach (IReadOnlyList<TimelineRead> row in rows)
        {
            for (int i = 1; i < row.Count; i++)
                Assert.That(row[i].FromUs, Is.GreaterThanOrEqualTo(row[i - 1].ToUs ?? end));
        }
    }

    [Test]
    public async Task The_settings_are_those_of_the_options()
    {
        var options = new SearchOptions { Graph = new GraphSearch { ListSize = 123 } };
        XElement page = Parse(await SearchAsync(isIvf: false, options));
        Assert.That(ValueOf(page, "list-size"), Is.EqualTo("123"));
        Assert.That(ValueOf(page, "target-recall"), Is.Null);
        Assert.That(page.Value, Does.Contain("A list size is not on its curve"));
        page = Parse(await SearchAsync(isIvf: true, new SearchOptions { Ivf = new IvfSearch { Probes = 9 } }));
        Assert.That(ValueOf(page, "probes"), Is.EqualTo("9"));
        Assert.That(page.Value, Does.Contain("The options chose 9 probes"));
    }

    [Test]
    public async Task The_curve_has_every_point_of_the_calibration_and_the_chosen_one()
    {
        ExplainedSearch search = await SearchAsync(isIvf: false, new SearchOptions { TargetRecall = 0.9f });
        XElement[] series = [.. Parse(search).Descendants(SvgChart.Svg + "g")
            .Where(group => $"{group.Attribute("class")}".Contains("series", StringComparison.Ordinal))];
        Assert.That(series.Select(line => line.Elements(SvgChart.Svg + "path").Count()),
            Is.EqualTo(new[] { search.Store.Index!.Calibration.Count, 1 }));
        double chosen = CalibrationCurve.AtRecall(search.Store.Index.Calibration, 0.9f).Recall;
        Assert.That(Parse(search).Value, Does.Contain(string.Create(CultureInfo.InvariantCulture, $"chosen: recall {chosen:0.000}")));
    }

    [Test]
    public async Task A_fallback_of_the_device_is_told()
    {
        ExplainedSearch search = await SearchAsync(isIvf: false, SearchOptions.Default);
        Assert.That(ValueOf(Parse(search), "fallback"), Is.Null);
        search = search with { Store = search.Store with { DeviceName = "portable", DeviceFallback = "io_uring_setup <failed> & so on" } };
        Assert.That(ValueOf(Parse(search), "fallback"), Is.EqualTo("io_uring_setup <failed> & so on"));
    }

    [Test]
    public async Task The_page_refers_to_nothing_outside_and_is_well_formed([Values] bool isIvf)
    {
        string html = ExplainPage.ToHtml(await SearchAsync(isIvf, SearchOptions.Default));
        string outside = html.Replace("xmlns=\"http://www.w3.org/2000/svg\"", "", StringComparison.Ordinal);
        Assert.That(outside, Does.Not.Match(new Regex("https?:|//[a-z]|url\\(|@import|<script|<link|<img| src=| href=")));
        XElement page = XDocument.Parse(html).Root!;
        Assert.That(page.Descendants(SvgChart.Svg + "svg").Count(), Is.EqualTo(2));
        foreach (XElement svg in page.Descendants(SvgChart.Svg + "svg"))
            Assert.That(svg.DescendantsAndSelf().Select(part => part.Name.Namespace), Is.All.EqualTo(SvgChart.Svg));
        Assert.That(html, Does.Not.Contain("NaN").And.Not.Contain("Infinity"));
    }

    [Test]
    public void The_style_has_nothing_that_XML_escapes()
    {
        var style = new XElement("style", PageStyle.Css);
        Assert.That(style.ToString(), Is.EqualTo($"<style>{PageStyle.Css}</style>"));
    }

    private async Task<ExplainedSearch> SearchAsync(bool isIvf, SearchOptions options)
    {
        string directory = isIvf ? _lists : _small.Index;
        await using VectorIndex index = await VectorIndex.OpenAsync(directory, new OpenOptions { DeviceKind = DeviceKind.Memory });
        VectorMatrix queries = await VectorMatrix.LoadAsync("--query", _small.Query, default);
        float[] query = MemoryMarshal.Cast<byte, float>(queries.Row(2)).ToArray();
        var trace = new SearchTrace();
        SearchResult found = await index.SearchAsync<float>(query.AsMemory(), K, options with { Trace = trace });
        ExplainedHit[] hits = [.. found.Select(hit => new ExplainedHit($"{hit.Key}", hit.Score))];
        return new ExplainedSearch
        {
            Store = new SearchedStore(directory, index.Info.Metric, index.Info, null, index.DeviceName, index.DeviceFallback),
            Query = "row 2",
            K = K,
            Options = options,
            Search = new MedianSearch(new FoundHits(hits, found.Statistics), QueryTimeline.Of(trace), 1),
        };
    }

    private static XElement Parse(ExplainedSearch search) => XDocument.Parse(ExplainPage.ToHtml(search)).Root!;

    private static string? ValueOf(XElement page, string id) =>
        page.Descendants("td").SingleOrDefault(cell => (string?)cell.Attribute("id") == id)?.Value;
}
