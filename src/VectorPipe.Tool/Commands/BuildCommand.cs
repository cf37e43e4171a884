using System.Diagnostics;
using System.Text.Json.Nodes;
using VectorPipe.Measuring.Output;
using VectorPipe.Tool.Inputs;

namespace VectorPipe.Tool.Commands;

/// <summary><c>vectorpipe build</c>.</summary>
internal static class BuildCommand
{
    public static async Task<int> RunAsync(BuildArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        BuildOptions options;
        BuildReport report;
        await using (VectorSource source = await VectorInput.OpenBaseAsync(
            arguments.Base, arguments.Keys, console, cancellationToken))
        {
            options = arguments.ToOptions(source.ElementType);
            BuildPlan plan = VectorIndex.PlanBuild(source, options);
            BuildPlanOutput.RequireBudget(plan);
            if (arguments.Plan || options.MemoryBudget is not null)
                BuildPlanOutput.Show(plan, console);
            if (arguments.Plan)
            {
                JsonObject document = BuildPlanOutput.ToJson(plan, Configuration(arguments, options));
                await console.WriteDocumentAsync(document, document["phases"]!.AsArray().Select(phase => phase!.AsObject()));
                return ExitCodes.Ok;
            }

            try
            {
                report = await console.WithProgressAsync(
                    progress => VectorIndex.BuildAsync(arguments.Out, source, options, progress, console.Logging, cancellationToken));
            }
            catch (InvalidVectorException e)
            {
                throw new UsageException($"'{arguments.Base}': {e.Message}", e);
            }
        }

        using var process = Process.GetCurrentProcess();
        long peakBytes = process.PeakWorkingSet64;
        Show(report, options.Ivf is null ? IndexKind.Graph : IndexKind.Ivf, peakBytes, console);
        await console.WriteDocumentAsync(ToJson(report, peakBytes, arguments, options), PhaseTable.ToRows(report));
        return ExitCodes.Ok;
    }

    private static void Show(BuildReport report, IndexKind kind, long peakBytes, ToolConsole console)
    {
        console.Write(PhaseTable.Create(report));
        if (kind == IndexKind.Ivf)
        {
            console.WriteLine($"{report.Points} points of dimension {report.Dimension} in lists");
        }
        else
        {
            string graph = $"mean degree {report.MeanDegree:F1}, {report.Reachable} reachable ({report.Repaired} repaired)";
            console.WriteLine($"{report.Points} points of dimension {report.Dimension}, {graph}");
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
        ["phases"] = new JsonArray([.. PhaseTable.ToRows(report)]),
        ["configuration"] = Configuration(arguments, options),
    };

    private static JsonObject Configuration(BuildArguments arguments, BuildOptions options)
    {
        JsonObject json = OptionsReport.Create(arguments);
        json["threads"] = options.Threads;
        json["host"] = HostFacts.ToJson();
        json["commit"] = HostFacts.Commit;
        return json;
    }
}
