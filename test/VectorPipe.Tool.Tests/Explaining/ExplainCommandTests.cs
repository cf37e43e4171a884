using System.Globalization;
using System.Runtime.InteropServices;
using System.Xml.Linq;
using NUnit.Framework;
using VectorPipe.Measuring.Data;
using VectorPipe.Tool.Tests.Infrastructure;

namespace VectorPipe.Tool.Tests.Explaining;

public sealed class ExplainCommandTests
{
    // Ten of a hundred years.
    private const int Matches = SmallIndex.Points / 10;

    private ExplainedStores _stores = null!;

    [OneTimeSetUp]
    public async Task CreateStores() => _stores = await ExplainedStores.CreateAsync();

    [OneTimeTearDown]
    public void RemoveStores() => _stores?.Dispose();

    [Test]
    public async Task Standard_output_has_the_path_and_a_summary_in_a_line()
    {
        string path = _stores["page.html"];
        ToolRun run = await ToolRun.SucceedAsync(
            "explain", _stores.Graph.Index, "--query", _stores.Graph.Query, "--row", "3", "--device", "memory", "--out", path);
        Assert.That(run.Output.TrimEnd().Split('\n'), Has.Length.EqualTo(1));
        Assert.That(run.Output, Does.StartWith($"{path}: 10 hits in ").And.Match(" us: [0-9]+ reads \\([0-9,]+ bytes\\), "));
        Assert.That(await File.ReadAllTextAsync(path), Does.StartWith("<!DOCTYPE html>").And.Contain("How row 3 of query.fbin was"));
    }

    [Test]
    public async Task The_page_goes_to_standard_output_and_the_summary_to_error()
    {
        ToolRun run = await ToolRun.SucceedAsync(
            "explain", _stores.Graph.Index, "--query", _stores.Graph.Query, "--device", "memory", "--out", "-");
        Assert.That(run.Output, Does.StartWith("<!DOCTYPE html>").And.EndWith("</html>\n"));
        Assert.That(run.Error, Does.Contain("-: 10 hits in "));
    }

    [Test]
    public async Task Hits_are_the_nearest_of_the_row([Values] bool isIvf)
    {
        string[] effort = isIvf ? ["--probes", "30"] : ["--list-size", "1000"];
        string path = await _stores.ExplainAsync(isIvf ? _stores.Lists : _stores.Graph.Index, ["--row", "5", "-k", "4", .. effort]);
        Assert.That(KeysOf(await PageAsync(path)), Is.EqualTo(await NearestAsync(5, 4, _ => true)));
    }

    [Test]
    public async Task A_filter_of_a_collection_is_explained()
    {
        string path = await _stores.ExplainAsync(_stores.Collection, "--row", "6", "-k", "3", "--filter", "year < 20 and year >= 10");
        XElement page = await PageAsync(path);
        using (Assert.EnterMultipleScope())
        {
            Assert.That(
                KeysOf(page), Is.EqualTo(await NearestAsync(6, 3, row => row % ExplainedStores.Years is >= 10 and < 20)));
            Assert.That(ValueOf(page, "filter"), Is.EqualTo(Filter.Parse("year < 20 and year >= 10").ToString()));
            Assert.That(ValueOf(page, "matches"), Is.EqualTo($"{Matches}"));
            Assert.That(ValueOf(page, "strategy"), Is.EqualTo("Codes"));
            Assert.That(ValueOf(page, "kind"), Is.EqualTo("graph, of a collection"));
            Assert.That(page.Value, Does.Contain($"{Matches} vectors match: so few that the codes of all of them are compared."));
        }
    }

    [Test]
    public async Task A_small_index_is_said_to_be_compared_whole()
    {
        XElement page = await PageAsync(await _stores.ExplainAsync(_stores.Graph.Index));
        Assert.That(page.Value, Does.Contain("usually compares every vector"));
    }

    [Test]
    public async Task Records_that_wait_in_memory_have_no_timeline()
    {
        string waiting = _stores["waiting"];
        await ToolRun.SucceedAsync("create", waiting, "--dimension", "16", "--key-type", "string");
        string line = $$"""{"key": "<a key> of {{new string('x', 200)}}", "vector": [{{string.Join(',', Enumerable.Repeat("1", 16))}}]}""";
        await File.WriteAllTextAsync(_stores["waiting.jsonl"], line);
        await ToolRun.SucceedAsync("upsert", waiting, "--records", _stores["waiting.jsonl"]);
        XElement page = await PageAsync(await _stores.ExplainAsync(waiting));
        Assert.That(page.Value, Does.Contain("its records wait in memory, and each of them was compared"));
        Assert.That(page.Descendants().Count(element => element.Name.LocalName == "svg"), Is.Zero);
        Assert.That(KeysOf(page), Is.EqualTo(new[] { "<a key> of " + new string('x', 200) }));
        Assert.That(ValueOf(page, "waiting-writes"), Is.EqualTo("1"));
    }

    [TestCase("--row", "60", "--row: expected less than 60")]
    [TestCase("--row", "-1", "--row: expected 0 or more; found -1.")]
    [TestCase("-k", "0", "-k: expected 1 or more; found 0.")]
    [TestCase("-k", "1001", "-k: expected 1 to 1000")]
    [TestCase("--target-recall", "0.3", "--target-recall: expected 0.5 to 0.9999; found 0.3.")]
    [TestCase("--threshold", "0", "--threshold: expected above 0, at most 100; found 0.")]
    [TestCase("--list-size", "9", "--list-size: expected k (10) to 65536; found 9.")]
    [TestCase("--probes", "0", "--probes: expected 1 or more; found 0.")]
    [TestCase("--probes", "4", "--probes: expected none for a graph; found 4.")]
    [TestCase("--filter", "year > 3", "--filter: expected none for an index")]
    [TestCase("--filter", "year >", "filter")]
    [TestCase("--device", "tape", "--device: expected one of")]
    public async Task Bad_options_are_refused(string option, string value, string expected)
    {
        string path = _stores["never.html"];
        ToolRun run = await ToolRun.RunAsync("explain", _stores.Graph.Index, "--query", _stores.Graph.Query, "--out", path, option, value);
        run.AssertFailed(ExitCodes.BadInput, expected);
        Assert.That(File.Exists(path), Is.False);
    }

    [Test]
    public async Task Efforts_of_two_kinds_or_of_the_other_kind_are_refused()
    {
        string[] start = ["explain", _stores.Lists, "--query", _stores.Graph.Query, "--out", _stores["never.html"]];
        (await ToolRun.RunAsync([.. start, "--probes", "3", "--target-recall", "0.9"])).AssertFailed(
            ExitCodes.BadInput, "--target-recall: expected one option of effort; found --target-recall and --probes.");
        (await ToolRun.RunAsync([.. start, "--threshold", "0.1"])).AssertFailed(
            ExitCodes.BadInput, "--threshold: expected none for an IVF index; found 0.1.");
    }

    [Test]
    public async Task Missing_folders_and_queries_of_another_kind_are_refused()
    {
        (await ToolRun.RunAsync("explain", _stores["none"], "--query", _stores.Graph.Query, "--out", _stores["never.html"]))
            .AssertFailed(ExitCodes.CannotReadOrWrite, "none");
        (await ToolRun.RunAsync("explain", _stores.Lists, "--query", _stores.Graph.Query, "--out", _stores["no/such/page.html"]))
            .AssertFailed(ExitCodes.CannotReadOrWrite, "expected an existing folder");
        await ToolRun.SucceedAsync("create", _stores["other"], "--dimension", "5");
        (await ToolRun.RunAsync("explain", _stores["other"], "--query", _stores.Graph.Query, "--out", _stores["never.html"]))
            .AssertFailed(ExitCodes.BadInput, "vectors of Float32 of dimension 5");
        (await ToolRun.RunAsync(
            "explain", _stores.Collection, "--query", _stores.Graph.Query, "--out", _stores["never.html"], "--filter", "yeer > 3"))
            .AssertFailed(ExitCodes.BadInput, "year");
    }

    private async Task<string[]> NearestAsync(int row, int k, Func<int, bool> isWanted)
    {
        float[] query = RowOf(await VectorMatrix.LoadAsync("--query", _stores.Graph.Query, default), row);
        VectorMatrix all = await VectorMatrix.LoadAsync("--base", _stores.Graph.Base, default);
        return
        [
            .. Enumerable.Range(0, all.Count).Where(isWanted)
                .OrderBy(i => RowOf(all, i).Zip(query, (x, y) => ((double)x - y) * ((double)x - y)).Sum()).Take(k)
                .Select(i => i.ToString(CultureInfo.InvariantCulture)),
        ];

        static float[] RowOf(VectorMatrix matrix, int i) => MemoryMarshal.Cast<byte, float>(matrix.Row(i)).ToArray();
    }

    private static async Task<XElement> PageAsync(string path) => XDocument.Parse(await File.ReadAllTextAsync(path)).Root!;

    private static IEnumerable<string> KeysOf(XElement page) =>
        page.Descendants("table").Single(table => (string?)table.Attribute("id") == "hits-table")
            .Element("tbody")!.Elements("tr").Select(row => row.Elements("td").ElementAt(1).Value);

    private static string? ValueOf(XElement page, string id) =>
        page.Descendants("td").SingleOrDefault(cell => (string?)cell.Attribute("id") == id)?.Value;
}
