using System.Text.Json.Nodes;
using Spectre.Console;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Tool.Commands;

/// <summary>The plan of a build as a user sees it.</summary>
internal static class BuildPlanOutput
{
    private const double MiB = 1 << 20;

    /// <summary>Refuses a budget that is too small.</summary>
    /// <exception cref="UsageException">It is; names the least that would do.</exception>
    public static void RequireBudget(BuildPlan plan)
    {
        if (plan.MemoryBudget is { } budget && budget < plan.LeastMemoryBudget)
        {
            string vectors = $"{plan.Points} vectors of {plan.Dimension} x {plan.ElementType}";
            throw new UsageException(
                $"--memory: expected at least {WholeMiB(plan.LeastMemoryBudget)} MiB for {vectors}; found {budget / MiB:0.###} MiB.");
        }
    }

    /// <summary>Shows the plan.</summary>
    public static void Show(BuildPlan plan, ToolConsole console)
    {
        Table table = new Table()
            .AddColumn("phase")
            .AddColumn("memory MiB", c => c.RightAligned())
            .AddColumn("scratch MiB", c => c.RightAligned())
            .AddColumn("about s", c => c.RightAligned());
        foreach (BuildPhase phase in plan.Phases)
            table.AddRow(
                Markup.Escape(phase.Name), $"{WholeMiB(phase.MemoryBytes)}", $"{WholeMiB(phase.ScratchBytes)}",
                $"{phase.EstimatedSeconds:F1}");
        table.AddRow("all", $"{WholeMiB(plan.MemoryBytes)}", $"{WholeMiB(plan.ScratchBytes)}", $"{plan.EstimatedSeconds:F1}");
        console.Write(table);
        console.WriteLine($"{plan.Points} points of dimension {plan.Dimension} ({plan.ElementType})");
        console.WriteLine(
            $"index {WholeMiB(plan.IndexBytes)} MiB, scratch files {WholeMiB(plan.ScratchBytes)} MiB at most, "
            + $"{(plan.Threads == 1 ? "1 worker thread" : $"{plan.Threads} worker threads")}, least --memory "
            + $"{WholeMiB(plan.LeastMemoryBudget)} MiB");
    }

    /// <summary>The plan as a document.</summary>
    /// <param name="plan">The plan.</param>
    /// <param name="configuration">What was asked for.</param>
    public static JsonObject ToJson(BuildPlan plan, JsonObject configuration) => new()
    {
        ["points"] = plan.Points,
        ["dimension"] = plan.Dimension,
        ["type"] = Choices.NameOf(plan.ElementType),
        ["memory_budget"] = plan.MemoryBudget,
        ["least_memory_budget"] = plan.LeastMemoryBudget,
        ["threads"] = plan.Threads,
        ["memory_bytes"] = plan.MemoryBytes,
        ["scratch_bytes"] = plan.ScratchBytes,
        ["index_bytes"] = plan.IndexBytes,
        ["estimated_seconds"] = plan.EstimatedSeconds,
        ["phases"] = new JsonArray([.. plan.Phases.Select(phase => new JsonObject
        {
            ["name"] = phase.Name,
            ["memory_bytes"] = phase.MemoryBytes,
            ["scratch_bytes"] = phase.ScratchBytes,
            ["estimated_seconds"] = phase.EstimatedSeconds,
        })]),
        ["configuration"] = configuration,
    };

    // Rounded up: as an option or as room on a disk, the figure does.
    private static long WholeMiB(long bytes) => (bytes + (1 << 20) - 1) >> 20;
}
