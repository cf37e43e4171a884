using System.Diagnostics;
using System.Runtime.Versioning;
using System.Text.Json.Nodes;
using NUnit.Framework;
using VectorPipe.Bench.Tests.Infrastructure;

namespace VectorPipe.Bench.Tests;

/// <summary>An index and hnswlib are searched in turn; the real program only where its library and a compiler are installed.</summary>
[Platform("Linux")]
[SupportedOSPlatform("linux")]
public sealed class PeersTests
{
    private const string Header = "/usr/include/hnswlib/hnswlib.h";

    private readonly TempFolder _folder = new();

    [OneTimeSetUp]
    public Task BuildAsync() => BenchProcess.ReportAsync(
        "search", "--index", _folder["index"], "--dataset", SharedData.DataSet, "-k", "1", "--mode", "beam", "--quiet");

    [OneTimeTearDown]
    public void RemoveFolder() => _folder.Dispose();

    [Test]
    public async Task Each_setting_of_both_has_a_row_with_the_median_of_its_passes()
    {
        // Counts its lines: the first pass of two settings does not count.
        string program = Write("echo 'ready 1.5'\nn=0\nwhile read -r ef; do n=$((n + 1)); echo \"0.$ef $((n * 100))\"; done\n");
        JsonObject report = await BenchProcess.ReportAsync(
            Arguments(program, "--ef", "20,30", "--target-recall", "0.5,0.9,0.95", "--iterations", "3", "--chart", _folder["chart.svg"]));
        JsonObject[] rows = [.. report["results"]!.AsArray().Select(row => row!.AsObject())];
        Assert.That(
            rows.Select(row => $"{row["library"]}, {row["setting"]}"),
            Is.EquivalentTo(new[]
            {
                "VectorPipe, aim 0.5", "VectorPipe, aim 0.9", "VectorPipe, aim 0.95", "hnswlib, ef 20", "hnswlib, ef 30",
            }));
        Assert.That(rows.Where(row => (string)row["library"]! == "VectorPipe").Select(row => (double)row["qps"]!), Is.All.Positive);
        JsonObject peer = rows.Single(row => (string)row["setting"]! == "ef 30");
        Assert.That(
            ((double)peer["recall"]!, (double)peer["qps"]!, (double)peer["least_qps"]!, (double)peer["most_qps"]!),
            Is.EqualTo((0.30, 600.0, 400.0, 800.0)));
        Assert.That(await File.ReadAllTextAsync(_folder["chart.svg"]), Does.Contain("hnswlib").And.Contain("recall@1"));
    }

    [Test]
    public async Task Hnswlib_itself_finds_every_query_which_is_a_row()
    {
        if (!File.Exists(Header))
            Assert.Ignore($"{Header} is absent: the package libhnswlib-dev is not installed");
        string? compiler = new[] { "/usr/bin/g++", "/usr/bin/c++" }.FirstOrDefault(File.Exists);
        if (compiler is null)
            Assert.Ignore("no C++ compiler is installed");
        string source = Path.Combine(Repository.Root, "benchmark", "hnswlib", "search.cpp"), program = _folder["hnswlib-search"];
        using Process build = Process.Start(compiler, ["-O1", "-std=c++17", "-pthread", source, "-o", program]);
        await build.WaitForExitAsync();
        Assert.That(build.ExitCode, Is.Zero);

        // Once it builds the graph, once it reads it.
        for (int run = 0; run < 2; run++)
        {
            JsonObject report = await BenchProcess.ReportAsync(Arguments(program, "--ef", "50", "--target-recall", "0.95"));
            JsonObject peer = report["results"]!.AsArray().Single(row => (string)row!["library"]! == "hnswlib")!.AsObject();
            Assert.That((double)peer["recall"]!, Is.EqualTo(1), $"run {run}");
        }
    }

    [TestCase("exit 3", "found its end with 3: broken")]
    [TestCase("echo 'ready soon'; cat", "expected 'ready SECONDS'")]
    [TestCase("echo 'ready 0'; read -r ef; echo 'none'; cat", "expected 'RECALL QPS'")]
    public async Task A_program_that_says_something_else_is_an_error(string script, string expected) =>
        (await BenchProcess.RunAsync(Arguments(Write($"echo broken >&2\n{script}\n")))).AssertFailed(ExitCodes.BadInput, expected);

    [Test]
    public async Task A_program_that_does_not_exist_is_an_error() =>
        (await BenchProcess.RunAsync(Arguments(_folder["none"]))).AssertFailed(ExitCodes.BadInput, "expected a program");

    [TestCase("--ef", "0", "1 to 10000")]
    [TestCase("--target-recall", "0.4", "0.5 to 0.9999")]
    [TestCase("--threads", "1,2", "one number")]
    [TestCase("--links", "1", "2 to 200")]
    [TestCase("--rate", "5", "no pace")]
    public async Task A_bad_option_is_refused(string option, string value, string expected) =>
        (await BenchProcess.RunAsync(Arguments(_folder["none"], option, value))).AssertFailed(ExitCodes.BadInput, expected);

    private string[] Arguments(string program, params string[] more) =>
    [
        "peers", "--index", _folder["index"], "--base", SharedData.DataSet + ".base.u8bin", "--query", SharedData.DataSet + ".query.u8bin",
        "--truth", SharedData.DataSet + ".truth.bin", "--hnswlib", program, "-k", "1", "--device", "memory", "--quiet", .. more,
    ];

    private string Write(string script)
    {
        string path = _folder[$"program-{Guid.NewGuid():N}.sh"];
        File.WriteAllText(path, "#!/bin/sh\n" + script);
        File.SetUnixFileMode(path, UnixFileMode.UserRead | UnixFileMode.UserExecute);
        return path;
    }
}
