using System.Diagnostics;
using System.Globalization;
using NUnit.Framework;
using VectorPipe.Bench.Arguments;
using VectorPipe.Bench.Comparisons;
using VectorPipe.Bench.Nodes;
using VectorPipe.Bench.Simulations;
using VectorPipe.Bench.Tests.Infrastructure;
using VectorPipe.Server.Tests.Killing;

namespace VectorPipe.Bench.Tests.Documentation;

/// <summary>The commands of the benchmark that pages show run, with little data and for a short time.</summary>
[NonParallelizable]
public sealed class PageCommandTests
{
    private const string Program = "BENCH", Compiler = "g++", Server = "vectorpipe-server";
    private const string Header = "/usr/include/hnswlib/hnswlib.h";

    // A machine of tests may have no io_uring. F is the file that the option before it is for. The page gives the data of verbs for the
    // chapter, or with another command of it.
    private static readonly SentenceNotation _notation = new(
        new Dictionary<string, string>
        {
            ["A.json"] = "before-1.json",
            ["B.json"] = "after-1.json",
            ["--base F"] = "base.u8bin",
            ["--query F"] = "query.u8bin",
            ["C"] = "16",
            ["CALLERS"] = "2",
            ["I"] = "index",
            ["N"] = "500",
            ["R"] = "1000",
            ["S"] = "0.1",
            ["THREADS"] = "1",
            ["--target-recall ..."] = "0.9",
            ["--device uring"] = "auto",
        },
        new Dictionary<string, string[]>
        {
            ["build"] = ["--dataset", "base.u8bin", "--query", "query.u8bin", "--truth", "truth.bin"],
            ["get"] = ["-n", "1000"],
            ["search"] = ["--dataset", "photosift"],
            ["simulate"] = ["--rate", "20", "--service-us", "0:100,100:200"],
        });

    // Verbs that measure for a time; the others end with their work.
    private static readonly string[] _timed = ["ablate", "device", "get", "mixed", "search", "server", "shuffle", "streams"];

    private static string[] Pages => !Repository.IsThere
        ? []
        : [.. PageCommand.All().Where(IsOurs).Select(command => command.Page).Distinct()];

    [TestCaseSource(nameof(Pages))]
    [Category("Heavy")]
    public async Task The_commands_of_a_page_run(string page)
    {
        using var folder = new CurrentFolder();
        await StandIns.MakeAsync();
        bool canCompile = OperatingSystem.IsLinux() && File.Exists(Header) && File.Exists("/usr/bin/g++");
        var servers = new Dictionary<string, ServerProcess>();
        var skipped = new List<PageCommand>();
        try
        {
            foreach (PageCommand command in PageCommand.Of(page))
            {
                string[] words = ShellLine.Parse(command.Text).Words;

                // Other tests have a database for the nodes of a cluster.
                bool isOfCluster = words.Contains("--cluster")
                    || (IsOurs(command) && words.Contains("--port") && !servers.ContainsKey(ValueOf(words, "--port")));
                if (isOfCluster)
                    continue;
                if (command.Program == Server)
                    servers.Add(ValueOf(words, "--port"), await StartServerAsync(words));
                else if (command.Program == Compiler ? !canCompile : IsOurs(command) && words.Contains("--hnswlib") && !canCompile)
                    skipped.Add(command);
                else if (command.Program == Compiler)
                    await CompileAsync(words);
                else if (IsOurs(command))
                    await RunAsync(command, Shorten(words[1..], servers));
            }
        }
        finally
        {
            foreach (ServerProcess server in servers.Values)
                server.Dispose();
        }

        if (skipped.Count > 0)
            Assert.Ignore($"{Compiler} or {Header} is absent. All others ran, not {string.Join("; ", skipped)}");
    }

    [Test]
    [Category("Heavy")]
    public async Task The_commands_that_sentences_name_run()
    {
        using var folder = new CurrentFolder();
        await StandIns.MakeAsync();
        foreach (PageCommand command in PageCommand.InSentences(Program))
            await RunAsync(command, Shorten(_notation.Arguments(command), []));
    }

    [Test]
    public async Task Each_command_is_one_of_the_benchmark()
    {
        using var folder = new CurrentFolder();
        PageCommand[] commands = [.. PageCommand.All().Where(IsOurs)];
        Assert.That(commands, Has.Length.GreaterThan(10));
        using (Assert.EnterMultipleScope())
        {
            foreach (PageCommand command in commands)
            {
                await using var error = new StringWriter();
                var line = ShellLine.Parse(command.Text);
                int exitCode = await BenchCli.Program.RunAsync<ICommandArguments>(line.Words[1..], CheckAsync, error, error);
                Assert.That((line.NeedsShell, exitCode), Is.EqualTo((false, 0)), $"{command}: {error}");
            }
        }
    }

    [Test]
    public void Commands_in_sentences_use_options_that_their_verbs_have()
    {
        PageCommand[] commands = PageCommand.InSentences(Program);
        Assert.That(commands, Has.Length.GreaterThan(15));
        PageCommand.AssertKnown(
            commands, BenchCli.Program.Verbs.ToDictionary(verb => verb.Name, verb => verb.Options.Select(option => option.Name).ToArray()));
    }

    private static bool IsOurs(PageCommand command) => command.Program == Program;

    private static Task<int> CheckAsync(ICommandArguments arguments)
    {
        if (arguments is BenchArguments bench)
            bench.Check();
        else if (arguments is SimulateBenchArguments simulate)
            simulate.Check();
        else if (arguments is NodeBenchArguments node)
            node.Check();
        else
            ((CompareBenchArguments)arguments).Check();
        return Task.FromResult(ExitCodes.Ok);
    }

    private static async Task RunAsync(PageCommand command, string[] arguments)
    {
        BenchProcess run = await BenchProcess.RunAsync(arguments);
        Assert.That(run.ExitCode, Is.Zero, $"{command}, as {string.Join(' ', arguments)}: {run.Error}");
    }

    // Less data and time, no progress, data in the current folder, and the ports that servers got.
    private static string[] Shorten(string[] words, Dictionary<string, ServerProcess> servers)
    {
        string[] less = PageSizes.Reduce(words);
        for (int at = 1; at < less.Length; at++)
        {
            if (less[at - 1] == "--port")
                less[at] = servers[less[at]].Port.ToString(CultureInfo.InvariantCulture);
        }

        if (less[0] is "compare" or "simulate")
            return less;
        string[] time = !_timed.Contains(less[0]) || less.Contains("--runsec") ? ["--quiet"] : BenchProcess.Short;
        return [.. less, .. time, .. less.Contains("--data-path") ? Array.Empty<string>() : ["--data-path", "."]];
    }

    // Port and folder are its own.
    private static Task<ServerProcess> StartServerAsync(string[] words)
    {
        var options = new List<string>();
        for (int at = 1; at < words.Length; at++)
        {
            if (words[at] is "--port" or "--dir")
                at++;
            else
                options.Add(words[at]);
        }

        return ServerProcess.StartAsync(Path.GetFullPath(ValueOf(words, "--dir")), [.. options]);
    }

    private static string ValueOf(string[] words, string option) => words[Array.IndexOf(words, option) + 1];

    private static async Task CompileAsync(string[] words)
    {
        using Process compiler = Process.Start(words[0], words[1..]);
        await compiler.WaitForExitAsync();
        Assert.That(compiler.ExitCode, Is.Zero, string.Join(' ', words));
    }
}
