using Spectre.Console;

namespace VectorPipe.Tool.Commands;

/// <summary>The phases of a build or an import, and what each of them cost.</summary>
internal static class PhaseTable
{
    /// <summary>A line a phase, and one for all.</summary>
    public static Table Create(BuildReport report)
    {
        Table table = new Table().AddColumn("phase").AddColumn("wall s", c => c.RightAligned()).AddColumn("cpu s", c => c.RightAligned());
        foreach (BuildPhase phase in report.Phases)
            table.AddRow(Markup.Escape(phase.Name), $"{phase.WallSeconds:F2}", $"{phase.CpuSeconds:F2}");
        return table.AddRow("all", $"{report.WallSeconds:F2}", $"{report.CpuSeconds:F2}");
    }
}
