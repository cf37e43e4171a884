using System.Text.Json.Nodes;
using Spectre.Console;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Tool.Commands;

/// <summary>Shows the plan of a build.</summary>
internal static class BuildPlanOutput
{
    private const double MiB = 1 << 20;

    public static void RequireBudget(BuildPlan plan)
    {
        if (plan.MemoryBudget is { } budget && budget < plan.LeastMemoryBudget)
        {
            string vectors = $"{plan.Points} vectors of {plan.Dimension} x {plan.ElementType}";
            throw new UsageException(
                $"--memory: expected at least {WholeMiB(plan.LeastMemoryBudget)} MiB for {vectors}; found {budget / MiB:0.###} MiB.");
        }
    }

    public static void Show(BuildPlan plan, ToolConsole console)
    {
        Table table = FigureTable.Create(
            plan.Phases, startsWithName: true,
            ("phase", phase => Markup.Escape(phase.Name)),
            ("memory MiB", phase => $"{WholeMiB(phase.MemoryBytes)}"),
            ("scratch MiB", phase => $"{WholeMiB(phase.ScratchBytes)}"),
            ("about s", phase => $"{phase.EstimatedSeconds:F1}"));
        table.AddRow("all", $"{WholeMiB(plan.MemoryBytes)}", $"{WholeMiB(plan.ScratchBytes)}", $"{plan.EstimatedSeconds:F1}");
        console.Write(table);
        console.WriteLine($"{plan.Points} points of dimension {plan.Dimension} ({plan.ElementType})");
        console.WriteLine(
            $"index {WholeMiB(plan.IndexBytes)} MiB, scratch files {WholeMiB(plan.ScratchBytes)} MiB at most, "
            + $"{(plan.Threads == 1 ? "1 worker thread" : $"{plan.Threads} worker threads")}, least --memory "
            + $"{WholeMiB(plan.LeastMemoryBudget)} MiB");
    }

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

    // Rounded up, so that the figure suffices as a budget or as disk space.
    private static long WholeMiB(long bytes) => (bytes + (1 << 20) - 1) >> 20;
}
