using System.Diagnostics;
using System.Text.Json.Nodes;
using CommandLine;
using Spectre.Console;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of <c>vectorpipe build</c>.</summary>
[Verb("build", HelpText = "Build an index from a file of vectors; keys are row numbers.")]
internal sealed class BuildArguments : CommonArguments
{
    [Option("base", Required = true, HelpText = "The vectors: .fbin, .u8bin, .i8bin, .fvecs, .bvecs or .npy.")]
    public string Base { get; set; } = "";

    [Option("out", Required = true, HelpText = "Folder of the index.")]
    public string Out { get; set; } = "";

    [Option("metric", Default = "l2", HelpText = "l2, ip or cosine.")]
    public string Metric { get; set; } = "";

    [Option("algorithm", Default = "partitioned", HelpText = "How the graph is made: partitioned (fast) or vamana (two passes of insertions).")]
    public string Algorithm { get; set; } = "";

    [Option("degree", Default = 64, HelpText = "R: most links of a node.")]
    public int Degree { get; set; }

    [Option("build-list-size", Default = 100, HelpText = "L of the build: of vamana's insertions; partitioned uses it for repairs alone.")]
    public int BuildListSize { get; set; }

    [Option("alpha", Default = 1.2f, HelpText = "Pruning factor, 1 to 2.")]
    public float Alpha { get; set; }

    [Option("code-bytes", HelpText = "(Default: 32, or the dimension if that is less) Bytes of a vector's code in memory.")]
    public int? CodeBytes { get; set; }

    [Option("threads", HelpText = "(Default: processors) Worker threads. Builds are reproducible at any number of them (partitioned) or at one (vamana).")]
    public int? Threads { get; set; }

    [Option("seed", Default = 1UL, HelpText = "Seed of every random choice.")]
    public ulong Seed { get; set; }

    [Option("json", HelpText = "Write a report to this file.")]
    public string? Json { get; set; }

    public override string Verb => "build";
}

/// <summary><c>vectorpipe build</c>.</summary>
internal static class BuildCommand
{
    /// <summary>Builds the index and reports what it cost.</summary>
    public static async Task<int> RunAsync(BuildArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        var options = new BuildOptions
        {
            Metric = Choices.Metric(arguments.Metric),
            Algorithm = Choices.Algorithm(arguments.Algorithm),
            MaxDegree = arguments.Degree,
            ListSize = arguments.BuildListSize,
            Alpha = arguments.Alpha,
            CodeBytes = arguments.CodeBytes,
            Threads = arguments.Threads ?? Environment.ProcessorCount,
            Seed = arguments.Seed,
        };
        OutputFile.RequireFolder(arguments.Json);

        BuildReport report;
        await using (VectorSource source = await VectorSource.OpenFileAsync(arguments.Base, cancellationToken))
        {
            var builder = new VectorIndexBuilder(arguments.Out, options);
            report = await console.WithProgressAsync(progress => builder.BuildAsync(source, progress, cancellationToken));
        }

        using var process = Process.GetCurrentProcess();
        long peakBytes = process.PeakWorkingSet64;
        Show(report, peakBytes, console);
        await OutputFile.WriteJsonAsync(arguments.Json, ToJson(report, peakBytes, arguments, options), cancellationToken);
        return ExitCodes.Ok;
    }

    private static void Show(BuildReport report, long peakBytes, ToolConsole console)
    {
        Table table = new Table().AddColumn("phase").AddColumn("wall s", c => c.RightAligned()).AddColumn("cpu s", c => c.RightAligned());
        foreach (BuildPhase phase in report.Phases)
            table.AddRow(Markup.Escape(phase.Name), $"{phase.WallSeconds:F2}", $"{phase.CpuSeconds:F2}");
        table.AddRow("all", $"{report.WallSeconds:F2}", $"{report.CpuSeconds:F2}");
        console.Write(table);
        console.WriteLine($"{report.Points} points of dimension {report.Dimension}, mean degree {report.MeanDegree:F1}, {report.Reachable} reachable ({report.Repaired} repaired)");
        console.WriteLine($"{report.FoundThemselves:P2} of a sample of the points find themselves at list size 10");
        console.WriteLine($"{report.IndexBytes} bytes on disk, {peakBytes} bytes of memory at most");
    }

    private static JsonObject ToJson(BuildReport report, long peakBytes, BuildArguments arguments, BuildOptions options) => new()
    {
        ["wall_seconds"] = report.WallSeconds,
        ["cpu_seconds"] = report.CpuSeconds,
        ["peak_rss_bytes"] = peakBytes,
        ["points"] = report.Points,
        ["dimension"] = report.Dimension,
        ["degree_mean"] = report.MeanDegree,
        ["reachable"] = report.Reachable,
        ["found_themselves"] = report.FoundThemselves,
        ["index_bytes"] = report.IndexBytes,
        ["phases"] = new JsonArray([.. report.Phases.Select(phase => new JsonObject
        {
            ["name"] = phase.Name,
            ["wall_seconds"] = phase.WallSeconds,
            ["cpu_seconds"] = phase.CpuSeconds,
        })]),
        ["configuration"] = new JsonObject
        {
            ["base"] = arguments.Base,
            ["out"] = arguments.Out,
            ["metric"] = arguments.Metric,
            ["algorithm"] = arguments.Algorithm,
            ["degree"] = options.MaxDegree,
            ["build_list_size"] = options.ListSize,
            ["alpha"] = options.Alpha,
            ["code_bytes"] = options.CodeBytes,
            ["threads"] = options.Threads,
            ["seed"] = options.Seed,
            ["host"] = HostFacts.ToJson(),
            ["commit"] = HostFacts.Commit,
        },
    };
}
