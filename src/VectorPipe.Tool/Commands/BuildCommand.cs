using System.Diagnostics;
using System.Text.Json.Nodes;
using Spectre.Console;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Tool.Commands;

/// <summary><c>vectorpipe build</c>.</summary>
internal static class BuildCommand
{
    /// <summary>Builds the index and reports what it cost.</summary>
    public static async Task<int> RunAsync(BuildArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        var options = new BuildOptions
        {
            Metric = Choices.Metric(arguments.Metric),
            Kind = Choices.Kind(arguments.Kind),
            Lists = arguments.Lists,
            CodedLists = arguments.CodedLists,
            Algorithm = Choices.Algorithm(arguments.Algorithm),
            MaxDegree = arguments.Degree,
            ListSize = arguments.BuildListSize,
            Alpha = arguments.Alpha,
            Layout = arguments.Layout is null ? null : Choices.Layout(arguments.Layout),
            MemoryPerVector = arguments.MemoryPerVector,
            CodeBytes = arguments.CodeBytes,
            Code = Choices.Code(arguments.Code),
            PageVectors = Choices.PageVectors(arguments.PageVectors),
            DropVectors = arguments.DropVectors,
            PageSize = arguments.PageSize,
            NodesPerPage = arguments.NodesPerPage,
            ReplicasPerPage = arguments.ReplicasPerPage,
            PageGraphBytes = arguments.PageGraphBytes,
            MemoryBudget = arguments.Memory is null ? null : Choices.Bytes(arguments.Memory),
            Threads = arguments.Threads ?? Environment.ProcessorCount,
            Seed = arguments.Seed,
        };
        OutputFile.RequireFolder(arguments.Json);

        BuildReport report;
        await using (VectorSource source = await VectorSource.OpenFileAsync(arguments.Base, cancellationToken))
        {
            var builder = new VectorIndexBuilder(arguments.Out, options);
            BuildPlan plan = builder.Plan(source);
            BuildPlanOutput.RequireBudget(plan);
            if (arguments.Plan || options.MemoryBudget is not null)
                BuildPlanOutput.Show(plan, console);
            if (arguments.Plan)
            {
                await OutputFile.WriteJsonAsync(arguments.Json, BuildPlanOutput.ToJson(plan, Configuration(arguments, options)), cancellationToken);
                return ExitCodes.Ok;
            }

            report = await console.WithProgressAsync(progress => builder.BuildAsync(source, progress, cancellationToken));
        }

        using var process = Process.GetCurrentProcess();
        long peakBytes = process.PeakWorkingSet64;
        Show(report, options.Kind, peakBytes, console);
        await OutputFile.WriteJsonAsync(arguments.Json, ToJson(report, peakBytes, arguments, options), cancellationToken);
        return ExitCodes.Ok;
    }

    private static void Show(BuildReport report, IndexKind kind, long peakBytes, ToolConsole console)
    {
        Table table = new Table().AddColumn("phase").AddColumn("wall s", c => c.RightAligned()).AddColumn("cpu s", c => c.RightAligned());
        foreach (BuildPhase phase in report.Phases)
            table.AddRow(Markup.Escape(phase.Name), $"{phase.WallSeconds:F2}", $"{phase.CpuSeconds:F2}");
        table.AddRow("all", $"{report.WallSeconds:F2}", $"{report.CpuSeconds:F2}");
        console.Write(table);
        if (kind == IndexKind.Ivf)
        {
            console.WriteLine($"{report.Points} points of dimension {report.Dimension} in lists");
        }
        else
        {
            console.WriteLine($"{report.Points} points of dimension {report.Dimension}, mean degree {report.MeanDegree:F1}, {report.Reachable} reachable ({report.Repaired} repaired)");
            console.WriteLine($"{report.FoundThemselves:P2} of a sample of the points find themselves at list size 10");
        }

        console.WriteLine($"{report.IndexBytes} bytes on disk, {peakBytes} bytes of memory at most");
    }

    private static JsonObject ToJson(BuildReport report, long peakBytes, BuildArguments arguments, BuildOptions options) => new()
    {
        ["wall_seconds"] = report.WallSeconds,
        ["cpu_seconds"] = report.CpuSeconds,
        ["peak_rss_bytes"] = peakBytes,
        ["memory_budget"] = options.MemoryBudget,
        ["scratch_bytes_read"] = report.ScratchBytesRead,
        ["scratch_bytes_written"] = report.ScratchBytesWritten,
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
        ["configuration"] = Configuration(arguments, options),
    };

    private static JsonObject Configuration(BuildArguments arguments, BuildOptions options) => new()
    {
        ["base"] = arguments.Base,
        ["out"] = arguments.Out,
        ["metric"] = arguments.Metric,
        ["kind"] = arguments.Kind,
        ["lists"] = options.Lists,
        ["coded_lists"] = options.CodedLists,
        ["algorithm"] = arguments.Algorithm,
        ["degree"] = options.MaxDegree,
        ["build_list_size"] = options.ListSize,
        ["alpha"] = options.Alpha,
        ["layout"] = arguments.Layout,
        ["memory_per_vector"] = options.MemoryPerVector,
        ["code_bytes"] = options.CodeBytes,
        ["code"] = arguments.Code,
        ["page_vectors"] = arguments.PageVectors,
        ["drop_vectors"] = options.DropVectors,
        ["page_size"] = options.PageSize,
        ["nodes_per_page"] = options.NodesPerPage,
        ["replicas_per_page"] = options.ReplicasPerPage,
        ["page_graph_bytes"] = options.PageGraphBytes,
        ["threads"] = options.Threads,
        ["seed"] = options.Seed,
        ["host"] = HostFacts.ToJson(),
        ["commit"] = HostFacts.Commit,
    };
}
