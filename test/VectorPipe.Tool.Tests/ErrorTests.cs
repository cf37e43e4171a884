using System.Runtime.InteropServices;
using NUnit.Framework;
using VectorPipe.Tool.Tests.Infrastructure;

namespace VectorPipe.Tool.Tests;

public sealed class ErrorTests
{
    private readonly TempFolder _folder = new();
    private SmallIndex _small = null!;

    [OneTimeSetUp]
    public async Task BuildIndex() => _small = await SmallIndex.SharedAsync();

    [OneTimeTearDown]
    public void RemoveFiles() => _folder.Dispose();

    [Test]
    public async Task No_verb_is_bad_usage() => (await ToolRun.RunAsync()).AssertFailed(ExitCodes.BadInput, "verb");

    [Test]
    public async Task An_unknown_verb_is_bad_usage() => (await ToolRun.RunAsync("fly")).AssertFailed(ExitCodes.BadInput, "fly");

    [Test]
    public async Task An_unknown_option_is_bad_usage() =>
        (await ToolRun.RunAsync("inspect", "--index", "x", "--wings")).AssertFailed(ExitCodes.BadInput, "wings");

    [Test]
    public async Task Bad_usage_of_a_verb_points_to_its_help()
    {
        Assert.That((await ToolRun.RunAsync("backup", "books")).Error, Does.Contain("See 'vectorpipe backup --help'."));
        Assert.That((await ToolRun.RunAsync("fly")).Error, Does.Contain("See 'vectorpipe --help'."));
    }

    [Test]
    public async Task A_query_that_cannot_be_searched_for_is_named_with_its_file()
    {
        // int32 count 2, int32 dimension 16, then rows of float32 of which the second one has no number as component 7.
        var rows = new float[2 * 16];
        rows[16 + 7] = float.NaN;
        string path = _folder["nan.fbin"];
        await File.WriteAllBytesAsync(path, [2, 0, 0, 0, 16, 0, 0, 0, .. MemoryMarshal.AsBytes(rows.AsSpan())]);
        await File.WriteAllBytesAsync(_folder["zero.fbin"], [1, 0, 0, 0, 16, 0, 0, 0, .. new byte[16 * sizeof(float)]]);
        string index = _folder["zero"];
        await ToolRun.SucceedAsync("build", "--base", _folder["zero.fbin"], "--out", index);
        (await ToolRun.RunAsync("query", index, "--vectors", path, "-k", "1")).AssertFailed(
            ExitCodes.BadInput, $"'{path}', row 1: Refused a query: expected finite components, found NaN at component 7.");
        ToolRun near = await ToolRun.RunAsync("query", index, "--key", "99", "-k", "1");
        Assert.That((near.ExitCode, near.Output, near.Error), Is.EqualTo((ExitCodes.KeyNotFound, "", "note: 99: no such key\n")));
    }

    [Test]
    public async Task A_vector_that_cannot_be_indexed_is_named_with_its_file()
    {
        var rows = new float[2 * 16];
        rows[16 + 7] = float.NaN;
        string path = _folder["base.fbin"];
        await File.WriteAllBytesAsync(path, [2, 0, 0, 0, 16, 0, 0, 0, .. MemoryMarshal.AsBytes(rows.AsSpan())]);
        (await ToolRun.RunAsync("build", "--base", path, "--out", _folder["none"])).AssertFailed(
            ExitCodes.BadInput, $"'{path}': Row 1: expected finite components, found NaN at component 7");
    }

    [Test]
    public async Task A_name_of_no_format_is_told_all_of_them() =>
        (await ToolRun.RunAsync("build", "--base", "base.csv", "--out", _folder["none"])).AssertFailed(
            ExitCodes.BadInput, ".npz[:ARRAY], .hdf5[:DATASET], .parquet or .arrow[:COLUMN]; found extension '.csv'.");

    [TestCase("inspect")]
    [TestCase("verify")]
    [TestCase("query", "--key", "1")]
    [TestCase("get", "--key", "1")]
    [TestCase("explain", "--query", "queries.fbin")]
    public async Task A_folder_with_nothing_in_it_may_have_held_a_collection_or_an_index(string verb, params string[] options) =>
        (await ToolRun.RunAsync([verb, _folder["nothing"], .. options])).AssertFailed(
            ExitCodes.CannotReadOrWrite, $"{_folder["nothing"]}: expected a collection or an index; found neither.");

    [Test]
    public async Task A_missing_option_is_bad_usage() => (await ToolRun.RunAsync("inspect")).AssertFailed(ExitCodes.BadInput, "index");

    [Test]
    public async Task A_word_in_place_of_a_number_is_bad_usage() =>
        (await _small.SearchAsync("--list-size", "10,x")).AssertFailed(ExitCodes.BadInput, "list-size");

    [TestCase("--metric", "l3", "l2, ip, cosine")]
    [TestCase("--type", "int4", "uint8, int8, float32, float16")]
    [TestCase("--points", "0", "1 or more")]
    [TestCase("-k", "101", "1 to the points (100)")]
    public async Task Generate_refuses_bad_options(string option, string value, string expected)
    {
        string[] points = option == "--points" ? [] : ["--points", "100"];
        ToolRun run = await ToolRun.RunAsync(["generate", "--out", _folder["never"], option, value, .. points]);
        run.AssertFailed(ExitCodes.BadInput, expected);
        Assert.That(run.Error, Does.Contain(option).And.Contain(value));
    }

    [TestCase("--mode", "swim", "pipe, beam")]
    [TestCase("--device", "tape", "portable, memory")]
    [TestCase("--list-size", "5", "k (10)")]
    [TestCase("--beam-width", "0", "1 to 256")]
    [TestCase("--rerank", "5", "k (10)")]
    [TestCase("--threads", "0", "1 to 1024")]
    [TestCase("-k", "0", "1 or more")]
    [TestCase("--probes", "4", "graph")]
    [TestCase("--rerank", "40", "graph")]
    public async Task Search_refuses_bad_options(string option, string value, string expected) =>
        (await _small.SearchAsync(option, value)).AssertFailed(ExitCodes.BadInput, expected);

    [Test]
    public async Task Build_names_the_option_that_the_library_refuses() =>
        (await ToolRun.RunAsync("build", "--base", _small.Base, "--out", _folder["no-index"], "--degree", "2"))
            .AssertFailed(ExitCodes.BadInput, "--degree");

    [TestCase("--lists", "10", "none for a graph")]
    [TestCase("--page-vectors", "short", "auto, original, float16")]
    [TestCase("--kind", "tree", "graph, ivf")]
    public async Task Build_refuses_bad_options(string option, string value, string expected) =>
        (await ToolRun.RunAsync("build", "--base", _small.Base, "--out", _folder["no-index"], option, value))
            .AssertFailed(ExitCodes.BadInput, expected);

    [Test]
    public async Task Settings_that_exclude_each_other_are_refused() =>
        (await _small.SearchAsync("--target-recall", "0.9", "--threshold", "0.1")).AssertFailed(ExitCodes.BadInput, "--target-recall");

    [Test]
    public async Task A_missing_file_cannot_be_read() =>
        (await ToolRun.RunAsync("build", "--base", _folder["none.fbin"], "--out", _folder["no-index"]))
        .AssertFailed(ExitCodes.CannotReadOrWrite, "none.fbin");

    [Test]
    public async Task A_folder_without_an_index_cannot_be_read() =>
        (await ToolRun.RunAsync("inspect", "--index", _folder["nothing"])).AssertFailed(ExitCodes.CannotReadOrWrite, "nothing");

    [Test]
    public async Task A_trace_into_a_missing_folder_is_refused_at_once() =>
        (await _small.SearchAsync("--trace", _folder["missing/x.json"])).AssertFailed(ExitCodes.CannotReadOrWrite, "missing");

    [Test]
    public async Task A_malformed_file_is_bad_input()
    {
        await File.WriteAllBytesAsync(_folder["short.fbin"], [1, 2, 3]);
        (await ToolRun.RunAsync("build", "--base", _folder["short.fbin"], "--out", _folder["no-index"]))
            .AssertFailed(ExitCodes.BadInput, "short.fbin");
    }

    [Test]
    public async Task Queries_of_another_type_are_bad_input()
    {
        await ToolRun.SucceedAsync(
            "generate", "--out", _folder["bytes"], "--points", "20", "--queries", "3", "--dimension", "16", "-k", "5");
        (await ToolRun.RunAsync("search", "--index", _small.Index, "--query", _folder["bytes.query.u8bin"]))
            .AssertFailed(ExitCodes.BadInput, "Float32 of dimension 16");
    }

    [Test]
    public async Task A_truth_of_other_queries_is_bad_input()
    {
        await ToolRun.SucceedAsync(
            "generate", "--out", _folder["other"], "--points", "20", "--queries", "3", "--dimension", "16", "-k", "10");
        (await _small.SearchAsync("--truth", _folder["other.truth.bin"])).AssertFailed(ExitCodes.BadInput, "--truth");
    }

    [Test]
    public async Task A_zero_query_has_no_truth_under_cosine()
    {
        // int32 count 1, int32 dimension 2, two bytes.
        await File.WriteAllBytesAsync(_folder["zero.u8bin"], [1, 0, 0, 0, 2, 0, 0, 0, 0, 0]);
        (
            await ToolRun.RunAsync(
                "truth", "--base", _folder["zero.u8bin"], "--query", _folder["zero.u8bin"], "--out", _folder["zero.bin"], "-k", "1",
                "--metric", "cosine"))
            .AssertFailed(ExitCodes.BadInput, "Row 0");
    }

    [Test]
    public async Task A_damaged_page_fails_verification()
    {
        string copy = Directory.CreateDirectory(_folder["damaged"]).FullName;
        foreach (string file in Directory.EnumerateFiles(_small.Index))
            File.Copy(file, Path.Combine(copy, Path.GetFileName(file)));
        IndexInfo info = VectorIndex.Inspect(copy);
        string nodes = info.FileNames.Single(name => name.StartsWith("nodes", StringComparison.Ordinal));
        await using (FileStream file = File.Open(Path.Combine(copy, nodes), FileMode.Open))
        {
            file.Position = (3 * info.PageSize) + 100;
            int found = file.ReadByte();
            file.Position--;
            file.WriteByte((byte)(found ^ 1));
        }

        ToolRun run = await ToolRun.RunAsync("verify", "--index", copy);
        run.AssertFailed(ExitCodes.FailedVerification, "found defects: 1");
        Assert.That(run.Output, Does.Contain(nodes).And.Contain("page 3"));
    }

    [Test]
    public async Task A_cancelled_command_reports_it()
    {
        using var cancelled = new CancellationTokenSource();
        await cancelled.CancelAsync();
        ToolRun run = await ToolRun.RunAsync(cancelled.Token, "generate", "--out", _folder["cancelled"], "--points", "100", "-k", "5");
        run.AssertFailed(ExitCodes.Cancelled, "cancelled");
        Assert.That(File.Exists(_folder["cancelled.base.u8bin"]), Is.False);
    }

    [Test]
    public async Task Verbose_adds_the_stack_trace()
    {
        ToolRun run = await ToolRun.RunAsync("generate", "--out", _folder["never"], "--points", "0", "--verbose");
        Assert.That(run.Error, Does.Contain("   at VectorPipe.Tool."));
    }

    [TestCase("--help")]
    [TestCase("search", "--help")]
    public async Task Help_documents_the_exit_codes(params string[] args)
    {
        ToolRun run = await ToolRun.SucceedAsync(args);
        Assert.That(run.Output, Does.Contain("Exit codes:").And.Contain("130  cancelled"));
    }

    [Test]
    public async Task Version_is_a_line()
    {
        ToolRun run = await ToolRun.SucceedAsync("--version");
        Assert.That(run.Output, Does.Match(@"^vectorpipe \d+\.\d+\.\d+\s*$"));
    }
}
