using Spectre.Console;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench.Builds;

/// <summary>The tables of a benchmark of builds.</summary>
internal static class BuildTables
{
    private const double MiB = 1048576;

    /// <summary>The costs of the builds: a line for each variant.</summary>
    public static Table OfBuilds(IReadOnlyList<BuildResultRow> rows) => FigureTable.Create(
        rows, startsWithName: true,
        ("variant", row => row.Build.Variant.Label),
        ("wall s", row => $"{row.Build.Report.WallSeconds:F2}"),
        ("cpu s", row => $"{row.Build.Report.CpuSeconds:F2}"),
        ("cpu %", row => Difference.Format(row.CpuDifferencePercent)),
        ("memory MiB", row => $"{row.Build.OverheadBytes / MiB:F1}"),
        ("memory %", row => Difference.Format(row.OverheadDifferencePercent)),
        ("read MiB", row => row.Build.Io is { } io ? $"{io.ReadBytes / MiB:F1}" : "-"),
        ("written MiB", row => row.Build.Io is { } io ? $"{io.WrittenBytes / MiB:F1}" : "-"),
        ("index MiB", row => $"{row.Build.Report.IndexBytes / MiB:F1}"),
        ("degree", row => row.Build.Variant.IsLists ? "-" : $"{row.Build.Report.MeanDegree:F1}"),
        ("found %", row => row.Build.Variant.IsLists ? "-" : $"{100 * row.Build.Report.FoundThemselves:F2}"),
        ("same as first", row => row.IsSameAsFirst ? "yes" : "no"));

    /// <summary>Wall and processor seconds of the phases: a line for each phase, two columns for each variant.</summary>
    public static Table OfPhases(IReadOnlyList<BuildResultRow> rows)
    {
        List<(string Heading, Func<string, string> Cell)> columns = [("phase", name => Markup.Escape(name))];
        foreach (BuildResultRow row in rows)
        {
            string Cell(string name, Func<BuildPhase, double> seconds) =>
                row.Phases.FirstOrDefault(phase => phase.Name == name) is { } phase ? $"{seconds(phase):F2}" : "-";
            columns.Add(($"{row.Build.Variant.Label} wall s", name => Cell(name, phase => phase.WallSeconds)));
            columns.Add(("cpu s", name => Cell(name, phase => phase.CpuSeconds)));
        }

        IEnumerable<string> names = rows.SelectMany(row => row.Phases).Select(phase => phase.Name).Distinct();
        return FigureTable.Create(names, startsWithName: true, [.. columns]);
    }

    /// <summary>The files of the indexes.</summary>
    public static Table OfFiles(IReadOnlyList<BuildResultRow> rows) => FigureTable.Create(
        rows.SelectMany(row => row.Build.Files, (row, file) => (row.Build.Variant.Label, File: file)), startsWithName: true,
        ("variant", row => row.Label),
        ("file", row => Markup.Escape(row.File.Name)),
        ("bytes", row => $"{row.File.Length}"),
        ("SHA-256", row => row.File.Sha256));

    /// <summary>The searches: a line for each mode, setting and variant.</summary>
    public static Table OfSearches(int k, IReadOnlyList<BuildSearchRow> rows) => FigureTable.Create(
        rows, startsWithName: true,
        ("variant", row => row.Variant.Label),
        ("mode", row => row.Search.Mode),
        ("knob", row => row.Search.Setting.Knob),
        ($"recall@{k} %", row => row.Search.Recall is { } recall ? $"{100 * recall:F2}" : "-"),
        ("points", row => Difference.Format(row.RecallDifferencePoints, decimals: 2)),
        ("reads", row => $"{row.Search.ReadsPerQuery:F1}"),
        ("reads %", row => Difference.Format(row.ReadsDifferencePercent)),
        ("KiB read", row => $"{row.Search.BytesPerQuery / 1024:F1}"),
        ("rounds", row => $"{row.Search.RoundsPerQuery:F1}"),
        ("code dist.", row => $"{row.Search.CodeDistancesPerQuery:F0}"),
        ("mean µs", row => $"{row.Search.MeanUs:F0}"),
        ("mean %", row => Difference.Format(row.LatencyDifferencePercent)));
}
