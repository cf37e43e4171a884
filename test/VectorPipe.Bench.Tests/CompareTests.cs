using System.Text.Json.Nodes;
using NUnit.Framework;
using VectorPipe.Bench.Tests.Infrastructure;

namespace VectorPipe.Bench.Tests;

public sealed class CompareTests
{
    private const string TwoRows =
        """[{"kind": "graph", "threads": 1, "qps": 100.5, "reads": 8}, {"kind": "graph", "threads": 2, "qps": 200, "reads": 8}]""";

    private readonly TempFolder _folder = new();
    private int _files;

    [OneTimeTearDown]
    public void RemoveFiles() => _folder.Dispose();

    [Test]
    public async Task Equal_files_have_nothing_to_show()
    {
        BenchProcess run = await SucceedAsync(Write(TwoRows), Write(TwoRows));
        Assert.That(run.Output, Is.EqualTo("4 figures are equal in all files.\n"));
        Assert.That(run.Error, Is.Empty);
    }

    [Test]
    public async Task Figures_that_differ_are_shown_with_the_settings_that_tell_rows_apart()
    {
        string b = Write(
            """[{"kind": "graph", "threads": 2, "qps": 300, "reads": 8}, {"kind": "graph", "threads": 1, "qps": 100.5, "reads": 4}]""");
        BenchProcess run = await SucceedAsync(Write(TwoRows), b);
        Assert.That(
            CellsOf(run.Output),
            Is.EqualTo(new[]
            {
                "row|figure|A|B|B/A|spread of A|spread of B|apart",
                "threads 1|reads|8|4|0.500|-|-|-",
                "threads 2|qps|200|300|1.500|-|-|-",
            }));
        Assert.That(run.Output, Does.Contain("2 figures are equal").And.Not.Contain("ranges"));
    }

    [Test]
    public async Task Runs_of_a_side_have_a_median_and_a_spread_and_a_mark_where_those_are_apart()
    {
        string[] a = [.. new[] { 10, 14, 11 }.Select(qps => Write(Row(qps, reads: 8)))];
        string[] b = [.. new[] { 15, 13, 20, 18 }.Select(qps => Write(Row(qps, reads: 7)))];
        BenchProcess run = await SucceedAsync([.. a, "--with", .. b]);
        Assert.That(
            CellsOf(run.Output).Skip(1),
            Is.EqualTo(new[] { "-|qps|11|16.5|1.500|10 to 14|13 to 20|", "-|reads|8|7|0.875|8 to 8|7 to 7|*" }));
        Assert.That(run.Output, Does.Contain("happen to one figure in 17.5."), "35 ways to choose three of seven, two of them apart");
    }

    [Test]
    public async Task One_run_of_a_side_has_no_range_that_could_be_apart()
    {
        BenchProcess run = await SucceedAsync(Write(Row(10, 8)), Write(Row(11, 8)), "--with", Write(Row(20, 8)));
        Assert.That(CellsOf(run.Output).Skip(1), Is.EqualTo(new[] { "-|qps|10.5|20|1.905|10 to 11|-|-" }));
    }

    [Test]
    public async Task Documents_have_all_that_the_table_has()
    {
        string[] sides =
        [
            Write(TwoRows, """{"verb": "search", "seed": 1}"""), Write(TwoRows, """{"verb": "search", "seed": 1}"""), "--with",
            Write("""[{"kind": "graph", "threads": 1, "qps": 0, "reads": 9}]""", """{"verb": "search", "seed": 2}"""),
            Write("""[{"kind": "graph", "threads": 1, "qps": 0, "reads": 10}]""", """{"verb": "search", "seed": 2}"""),
        ];
        string csv = _folder["compared.csv"];
        BenchProcess run = await SucceedAsync([.. sides, "--json-output", "-", "--csv-output", csv]);
        JsonObject document = JsonNode.Parse(run.Output)!.AsObject();
        Assert.That(run.Error, Does.Contain("B/A"), "the table, beside a document on standard output");
        using (Assert.EnterMultipleScope())
        {
            Assert.That(document["a"]!.AsArray().Select(path => (string)path!), Is.EqualTo(sides[..2]));
            Assert.That(document["b"]!.AsArray().Select(path => (string)path!), Is.EqualTo(sides[3..]));
            Assert.That(
                document["configuration_differences"]!.ToJsonString(), Is.EqualTo("""[{"name":"seed","a":["1"],"b":["2"]}]"""));
            Assert.That(document["incomplete_rows"]!.ToJsonString(), Is.EqualTo("""[{"threads":2,"a_runs":2,"b_runs":0}]"""));
            Assert.That(
                document["results"]!.AsArray().Select(row => row!.ToJsonString()),
                Is.EqualTo(new[]
                {
                    """{"threads":1,"figure":"qps","a":100.5,"a_min":100.5,"a_max":100.5,"a_runs":2,"b":0,"b_min":0,"b_max":0,"""
                    + "\"b_runs\":2,\"ratio\":0,\"apart\":true}",
                    """{"threads":1,"figure":"reads","a":8,"a_min":8,"a_max":8,"a_runs":2,"b":9.5,"b_min":9,"b_max":10,"""
                    + "\"b_runs\":2,\"ratio\":1.1875,\"apart\":true}",
                }));
            Assert.That(
                await File.ReadAllLinesAsync(csv),
                Is.EqualTo(new[]
                {
                    "threads,figure,a,a_min,a_max,a_runs,b,b_min,b_max,b_runs,ratio,apart",
                    "1,qps,100.5,100.5,100.5,2,0,0,0,2,0,true",
                    "1,reads,8,8,8,2,9.5,9,10,2,1.1875,true",
                }));
        }
    }

    [Test]
    public async Task Chosen_figures_are_shown_even_if_they_are_equal()
    {
        BenchProcess run = await SucceedAsync("--figures", "reads,qps", Write(Row(10, 8)), Write(Row(12, 8)));
        Assert.That(CellsOf(run.Output).Skip(1), Is.EqualTo(new[] { "-|reads|8|8|1.000|-|-|-", "-|qps|10|12|1.200|-|-|-" }));
        Assert.That(run.Output, Does.Not.Contain("equal"));
    }

    [Test]
    public async Task A_figure_of_one_side_has_no_ratio()
    {
        BenchProcess run = await SucceedAsync(
            Write("""[{"recall": null, "errors": 0, "gcs": 0}]"""), Write("""[{"recall": 0.95, "errors": 2, "waits": 1e-7, "gcs": 0}]"""));
        Assert.That(
            CellsOf(run.Output).Skip(1),
            Is.EqualTo(new[] { "-|errors|0|2|-|-|-|-", "-|recall|-|0.95|-|-|-|-", "-|waits|-|1E-07|-|-|-|-" }));
    }

    [Test]
    public async Task Rows_that_only_one_side_has_are_listed_and_not_compared()
    {
        string a = Write("""[{"mode": "beam", "qps": 1}, {"mode": "pipe", "qps": 2}]""");
        string b = Write("""[{"mode": "pipe", "qps": 3}, {"mode": "[exact]", "qps": 4}]""");
        BenchProcess run = await SucceedAsync(a, b);
        Assert.That(CellsOf(run.Output).Skip(1), Is.EqualTo(new[] { "mode pipe|qps|2|3|1.500|-|-|-" }));
        Assert.That(
            run.Output, Does.EndWith(
                """
                Rows that not all files have:
                  mode beam: only in A, not compared
                  mode [exact]: only in B, not compared

                """));
    }

    [Test]
    public async Task A_row_that_some_runs_of_both_sides_have_is_compared_with_a_note()
    {
        string both = Write("""[{"mode": "beam", "qps": 1}, {"mode": "[pipe]", "qps": 2}]""");
        BenchProcess run = await SucceedAsync(both, Write("""[{"mode": "beam", "qps": 5}]"""), "--with", both);
        Assert.That(
            CellsOf(run.Output).Skip(1), Is.EqualTo(new[] { "mode beam|qps|3|1|0.333|1 to 5|-|-" }));
        Assert.That(run.Output, Does.Contain("mode [pipe]: in 1 of 2 files of A and 1 of 1 of B"));
    }

    [Test]
    public async Task A_row_is_named_by_as_few_settings_as_tell_rows_apart()
    {
        const string results =
            """
            [{"variant": "pq-1t", "code": "pq", "build_threads": 1, "cpu": 1},
            {"variant": "opq-1t", "code": "opq", "build_threads": 1, "cpu": 1},
            {"variant": "opq-2t", "code": "opq", "build_threads": 2, "probes": 4, "cpu": 1},
            {"variant": "opq-2t", "code": "opq", "build_threads": 2, "probes": 8, "cpu": 1}]
            """;
        string csv = _folder["names.csv"];
        BenchProcess run = await SucceedAsync(Write(results), Write(results), "--figures", "cpu", "--csv-output", csv);
        Assert.That(
            CellsOf(run.Output).Skip(1).Select(cells => cells.Split('|')[0]),
            Is.EqualTo(new[] { "variant pq-1t", "variant opq-1t", "variant opq-2t, probes 4", "variant opq-2t, probes 8" }));
        Assert.That(File.ReadLines(csv).First(), Does.StartWith("variant,code,build_threads,probes,figure,a,"));
    }

    [Test]
    public async Task Rows_of_equal_settings_are_matched_in_their_order()
    {
        BenchProcess run = await SucceedAsync(
            Write("""[{"threshold": 0.5, "qps": 1}, {"threshold": 0.5, "qps": 2}]"""),
            Write("""[{"threshold": 0.5, "qps": 3}, {"threshold": 0.5, "qps": 8}]"""));
        Assert.That(
            CellsOf(run.Output).Skip(1), Is.EqualTo(new[] { "repetition 1|qps|1|3|3.000|-|-|-", "repetition 2|qps|2|8|4.000|-|-|-" }));
    }

    [Test]
    public async Task Differences_of_the_configuration_are_told_but_not_those_of_folders()
    {
        const string first =
            """
            {"verb": "get", "threads": [1, 2], "data_path": "/here", "query": "/here/q.fbin", "truth": "a.bin",
            "host": {"os": "x", "name": "one"}}
            """;
        const string second =
            """
            {"verb": "get", "threads": [1], "data_path": "/there", "query": "D:\\there\\q.fbin", "truth": "b.bin", "runsec": 3,
            "host": {"os": "x", "name": "two"}}
            """;
        BenchProcess run = await SucceedAsync(
            Write(TwoRows, first), Write(TwoRows, second), "--with", Write(TwoRows, second), Write(TwoRows, second));
        Assert.That(
            run.Error.TrimEnd().Split('\n'),
            Is.EqualTo(new[]
            {
                "note: configuration: threads: A [1,2] or [1]; B [1]",
                "note: configuration: truth: A a.bin or b.bin; B b.bin",
                "note: configuration: host.name: A one or two; B two",
                "note: configuration: runsec: A - or 3; B 3",
            }));
    }

    [TestCase("""{"results": [""", "expected JSON")]
    [TestCase("""{"results": [], "results": []}""", "expected JSON")]
    [TestCase("""[{"qps": 1}]""", "'results'")]
    [TestCase("null", "'results'")]
    [TestCase("""{"configuration": {}}""", "'results'")]
    [TestCase("""{"results": 5}""", "'results'")]
    [TestCase("""{"results": []}""", "an empty list")]
    [TestCase("""{"results": [{"qps": 1}, 2]}""", "expected objects as results")]
    [TestCase("""{"results": [{"qps": 1}], "configuration": 1}""", "'configuration'")]
    [TestCase("""{"results": [{"kind": "ivf", "threads": 1}, {"kind": "ivf", "threads": 4}]}""", "kind graph, threads 2")]
    [TestCase("""{"results": [{"kind": "graph", "threads": 1}], "configuration": {"verb": "get"}}""", "results of search")]
    public async Task A_file_that_cannot_be_compared_is_refused(string content, string expected)
    {
        string bad = _folder["bad.json"];
        await File.WriteAllTextAsync(bad, content);
        string good = Write(TwoRows, """{"verb": "search"}""");
        BenchProcess run = await BenchProcess.RunAsync("compare", good, bad);
        run.AssertFailed(ExitCodes.BadInput, expected);
        Assert.That(run.Error, Does.Contain("bad.json"));
        Assert.That(run.Output, Is.Empty);
    }

    [Test]
    public async Task A_missing_file_is_named()
    {
        string good = Write(TwoRows);
        (await BenchProcess.RunAsync("compare", good, _folder["none.json"])).AssertFailed(ExitCodes.CannotReadOrWrite, "none.json");
        (await BenchProcess.RunAsync("compare", good, good, "--csv-output", _folder["none/x.csv"]))
            .AssertFailed(ExitCodes.CannotReadOrWrite, "existing folder");
    }

    [TestCase(0, "two reports")]
    [TestCase(1, "two reports")]
    [TestCase(3, "--with")]
    [TestCase(2, "qps, reads; found speed", "--figures", "speed")]
    [TestCase(2, "--json-output -", "--json-output", "-", "--csv-output", "-")]
    [TestCase(0, "before those of --with", "--with", "x.json")]
    [TestCase(2, "runsec", "--runsec", "3")]
    public async Task Bad_arguments_are_refused(int files, string expected, params string[] more)
    {
        string file = Write(TwoRows);
        (await BenchProcess.RunAsync(["compare", .. Enumerable.Repeat(file, files), .. more])).AssertFailed(ExitCodes.BadInput, expected);
    }

    [Test]
    [Category("Heavy")]
    public async Task Reports_of_real_runs_are_compared()
    {
        string[] reports = [_folder["first.json"], _folder["second.json"]];
        foreach (string report in reports)
        {
            BenchProcess run = await BenchProcess.RunAsync(
                [
                    "device", "--data-path", SharedData.Pages, "--data-mb", "1", "--device", "memory", "--device-throttle-limit", "4,8",
                    .. BenchProcess.Short, "--json-output", report,
                ]);
            Assert.That(run.ExitCode, Is.Zero, run.Error);
        }

        string compared = _folder["real.json"];
        BenchProcess comparison = await SucceedAsync([.. reports, "--figures", "iops,errors", "--json-output", compared]);
        JsonArray rows = JsonNode.Parse(await File.ReadAllTextAsync(compared))!["results"]!.AsArray();
        Assert.That(
            rows.Select(row => ((int)row!["depth"]!, (string)row["figure"]!)),
            Is.EqualTo(new[] { (4, "iops"), (4, "errors"), (8, "iops"), (8, "errors") }));
        Assert.That(rows.Where(row => (string)row!["figure"]! == "iops").Select(row => (double)row!["ratio"]!), Is.All.GreaterThan(0));
        Assert.That(comparison.Output, Does.Contain("depth 8").And.Not.Contain("Rows that"));
        Assert.That(comparison.Error, Is.Empty, "one machine, one configuration");
    }

    [Test]
    public async Task Help_is_short()
    {
        BenchProcess run = await BenchProcess.RunAsync("compare", "--help");
        Assert.That(run.ExitCode, Is.Zero);
        Assert.That(run.Output, Does.Contain("FILES").And.Contain("--with").And.Contain("Exit codes:"));
        Assert.That(run.Output.Count(letter => letter == '\n'), Is.LessThanOrEqualTo(40));
    }

    private static string Row(double qps, double reads) => $$"""[{"threads": 1, "qps": {{qps}}, "reads": {{reads}}}]""";

    private static async Task<BenchProcess> SucceedAsync(params string[] args)
    {
        BenchProcess run = await BenchProcess.RunAsync(["compare", .. args]);
        Assert.That(run.ExitCode, Is.Zero, $"'{string.Join(' ', args)}' failed: {run.Error}");
        return run;
    }

    private string Write(string results, string configuration = "{}")
    {
        string path = _folder[$"{++_files}.json"];
        File.WriteAllText(path, $$"""{"configuration": {{configuration}}, "results": {{results}}}""");
        return path;
    }

    // The lines of the table without its frame.
    private static string[] CellsOf(string output) =>
    [
        .. output.Split('\n').Where(line => line.StartsWith('│')).Select(line => line.Trim('│').Split('│'))
           .Select(cells => string.Join('|', cells.Select(cell => cell.Trim()))),
    ];
}
