using System.Text.Json.Nodes;
using Spectre.Console;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Tool.Commands;

/// <summary>The costs of a build or an import, phase by phase.</summary>
internal static class PhaseTable
{
    public static Table Create(BuildReport report) => FigureTable.Create(
            report.Phases, startsWithName: true,
            ("phase", phase => Markup.Escape(phase.Name)),
            ("wall s", phase => $"{phase.WallSeconds:F2}"),
            ("cpu s", phase => $"{phase.CpuSeconds:F2}"))
        .AddRow("all", $"{report.WallSeconds:F2}", $"{report.CpuSeconds:F2}");

    public static IEnumerable<JsonObject> ToRows(BuildReport report) => report.Phases.Select(phase => new JsonObject
    {
        ["name"] = phase.Name,
        ["wall_seconds"] = phase.WallSeconds,
        ["cpu_seconds"] = phase.CpuSeconds,
    });
}
