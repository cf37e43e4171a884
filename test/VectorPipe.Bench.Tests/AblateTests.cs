using System.Text.Json.Nodes;
using System.Xml.Linq;
using NUnit.Framework;
using VectorPipe.Bench.Ablations;
using VectorPipe.Bench.Tests.Infrastructure;
using VectorPipe.Indexes;
using VectorPipe.Model;
using VectorPipe.Model.Build;
using VectorPipe.Reference.Plain;

namespace VectorPipe.Bench.Tests;

public sealed class AblateTests
{
    private readonly TempFolder _folder = new();

    [OneTimeTearDown]
    public void RemoveFiles() => _folder.Dispose();

    [Test]
    [Category("Heavy")]
    public async Task Every_step_of_the_ladder_has_its_row_at_every_recall()
    {
        string chart = _folder["ladder.svg"];
        JsonNode[] rows = await RowsAsync("--recall", "0.8,0.9", "--chart", chart, "--indexes", _folder["family"]);
        string[] ladder = [.. AblationLadder.All.Where(step => step.Group == AblationLadder.Ladder).Select(step => step.Name)];
        Assert.That(rows.Select(row => (string)row["step"]!), Is.EqualTo(ladder.SelectMany(step => new[] { step, step })));
        Assert.That(rows.Select(row => (double)row["wanted_recall"]!).Distinct(), Is.EqualTo(new[] { 0.8, 0.9 }));
        foreach (JsonNode row in rows.Where(row => row["skipped"] is null))
            Assert.That(
                (double)row["recall"]!,
                Is.EqualTo((double)row["wanted_recall"]!).Within(1e-6).Or.GreaterThan((double)row["wanted_recall"]!), $"{row["step"]}");
        Assert.That(
            rows.Where(row => row["skipped"] is not null).Select(row => (string)row["step"]!).Distinct(), Is.EqualTo(new[] { "packed" }));
        Assert.That(XDocument.Load(chart).Descendants().Count(element => element.Attribute("class")?.Value == "panel"), Is.EqualTo(6));
    }

    [TestCase("pipeline,near-links,cache", Category = "Heavy")]
    [TestCase("pipeline,page-search,near-links,cache", Category = "Heavy")]
    public async Task Steps_designed_to_read_less_do(string steps)
    {
        JsonNode[] rows = await RowsAsync("--recall", "0.9", "--steps", steps, "--indexes", _folder["family"]);
        double[] reads = [.. rows.Select(row => (double)row["reads_per_query"]!)];
        Assert.That(reads, Is.Ordered.Descending);
        Assert.That((double)rows[^1]["cache_hits_per_query"]!, Is.GreaterThan(0));
    }

    [Test]
    public async Task Existing_indexes_are_reused()
    {
        using var folder = new TempFolder();
        string[] arguments = ArgumentsOf(points: 400, "--steps", "replicas", "--recall", "0.9", "--indexes", folder["family"]);
        await BenchProcess.ReportAsync(arguments);
        Assert.That(Directory.GetDirectories(folder["family"]).Select(Path.GetFileName), Is.EqualTo(new[] { "merged" }));
        await BenchProcess.ReportAsync(arguments);
        Assert.That(VectorIndex.Inspect(Path.Combine(folder["family"], "merged")).Generation, Is.EqualTo(1));
    }

    [Test]
    public async Task Indexes_from_a_shared_graph_equal_separate_builds()
    {
        using var folder = new TempFolder();
        using var graph = new SharedGraph();
        foreach (IndexLayout layout in new[] { IndexLayout.Plain, IndexLayout.Merged })
        {
            string alone = folder[$"{layout}-alone"], shared = folder[$"{layout}-shared"];
            await BuildAsync(new VectorIndexBuilder(alone, Options(layout)));
            await BuildAsync(new VectorIndexBuilder(shared, Options(layout)) { GraphBuilder = graph });
            foreach (string file in Directory.GetFiles(alone).Select(path => Path.GetFileName(path)))
            {
                byte[] expected = await File.ReadAllBytesAsync(Path.Combine(alone, file));
                Assert.That((await File.ReadAllBytesAsync(Path.Combine(shared, file))).SequenceEqual(expected), $"{layout}, {file}");
            }
        }

        static BuildOptions Options(IndexLayout layout) => new()
        {
            Graph = new GraphBuild { MaxDegree = 16 },
            Tuning = new BuildTuning { ListSize = 32, Recipe = layout == IndexLayout.Plain ? PlainRecipe.Packed : null },
            Threads = 1,
        };

        static async Task BuildAsync(VectorIndexBuilder builder)
        {
            await using VectorSource source = await VectorSource.OpenFileAsync($"{SharedData.DataSet}.base.u8bin");
            await builder.BuildAsync(source);
        }
    }

    [TestCase("--steps", "beam,luck", "near-links")]
    [TestCase("--recall", "1.5", "above 0, at most 1")]
    [TestCase("--threads", "1,2", "one number")]
    [TestCase("--policy", "gain", "steps have their own")]
    [TestCase("--list-size", "50", "steps have their own")]
    [TestCase("--entry-sample", "0", "--entry-sample")]
    public async Task Bad_options_are_refused_before_anything_is_written(string option, string value, string expected)
    {
        using var folder = new TempFolder();
        BenchProcess run =
            await BenchProcess.RunAsync("ablate", "--data-path", folder["data"], "--generate", "uniform", "--dim", "16", option, value);
        run.AssertFailed(ExitCodes.BadInput, expected);
        Assert.That(Directory.Exists(folder["data"]), Is.False);
    }

    [Test]
    public async Task Queries_without_a_ground_truth_are_bad_usage() =>
        (await BenchProcess.RunAsync("ablate", "--dataset", "x.fbin", "--query", "y.fbin")).AssertFailed(ExitCodes.BadInput, "--truth");

    private async Task<JsonNode[]> RowsAsync(params string[] more) =>
        [.. (await BenchProcess.ReportAsync(ArgumentsOf(points: 1000, more)))["results"]!.AsArray().Select(row => row!)];

    private string[] ArgumentsOf(int points, params string[] more) =>
        ["ablate", "--data-path", _folder["data"], "--device", "memory", "--quiet", "--generate", "uniform", "-n", $"{points}", "--dim",
        "16", "--queries", "30", "--degree", "16", .. more];
}
