using Spectre.Console;
using VectorPipe.Measuring.Searches;

namespace VectorPipe.Bench.Builds;

/// <summary>The figures of builds as a user sees them.</summary>
internal static class BuildTables
{
    private const double MiB = 1048576;

    /// <summary>What the builds cost: a line a variant.</summary>
    public static Table OfBuilds(IReadOnlyList<BuildResultRow> rows)
    {
        Table table = Create(
            "variant", "wall s", "cpu s", "cpu %", "memory MiB", "memory %", "read MiB", "written MiB", "index MiB", "degree", "found %",
            "same as first");
        foreach (BuildResultRow row in rows)
        {
            BuildReport report = row.Build.Report;
            table.AddRow(
                row.Build.Variant.Label,
                $"{report.WallSeconds:F2}",
                $"{report.CpuSeconds:F2}",
                Difference.Format(row.CpuDifferencePercent),
                $"{row.Build.OverheadBytes / MiB:F1}",
                Difference.Format(row.OverheadDifferencePercent),
                row.Build.Io is { } read ? $"{read.ReadBytes / MiB:F1}" : "-",
                row.Build.Io is { } io ? $"{io.WrittenBytes / MiB:F1}" : "-",
                $"{report.IndexBytes / MiB:F1}",
                row.Build.Variant.IsLists ? "-" : $"{report.MeanDegree:F1}",
                row.Build.Variant.IsLists ? "-" : $"{100 * report.FoundThemselves:F2}",
                row.IsSameAsFirst ? "yes" : "no");
        }

        return table;
    }

    /// <summary>What the phases cost, wall and processor seconds: a line a phase, two columns a variant.</summary>
    public static Table OfPhases(IReadOnlyList<BuildResultRow> rows)
    {
        Table table = Create(["phase", .. rows.SelectMany(row => new[] { $"{row.Build.Variant.Label} wall s", "cpu s" })]);
        foreach (string name in rows.SelectMany(row => row.Phases).Select(phase => phase.Name).Distinct())
        {
            IEnumerable<string> cells = rows.SelectMany(row => row.Phases.FirstOrDefault(phase => phase.Name == name) is { } phase
                ? [$"{phase.WallSeconds:F2}", $"{phase.CpuSeconds:F2}"]
                : new[] { "-", "-" });
            table.AddRow([Markup.Escape(name), .. cells]);
        }

        return table;
    }

    /// <summary>What is in the files: a line a file of a variant.</summary>
    public static Table OfFiles(IReadOnlyList<BuildResultRow> rows)
    {
        Table table = Create("variant", "file", "bytes", "SHA-256");
        foreach (BuildResultRow row in rows)
        {
            foreach (IndexFileHash file in row.Build.Files)
                table.AddRow(row.Build.Variant.Label, Markup.Escape(file.Name), $"{file.Length}", file.Sha256);
        }

        return table;
    }

    /// <summary>What searches are worth: a line a mode, setting and variant.</summary>
    public static Table OfSearches(int k, IReadOnlyList<BuildSearchRow> rows)
    {
        Table table = Create(
            "variant", "mode", "knob", $"recall@{k} %", "points", "reads", "reads %", "KiB read", "rounds", "code dist.", "mean µs",
            "mean %");
        foreach (BuildSearchRow row in rows)
        {
            SearchResultRow search = row.Search;
            table.AddRow(
                row.Variant.Label,
                search.Mode,
                search.Setting.Knob,
                search.Recall is { } recall ? $"{100 * recall:F2}" : "-",
                Difference.Format(row.RecallDifferencePoints, decimals: 2),
                $"{search.ReadsPerQuery:F1}",
                Difference.Format(row.ReadsDifferencePercent),
                $"{search.BytesPerQuery / 1024:F1}",
                $"{search.RoundsPerQuery:F1}",
                $"{search.CodeDistancesPerQuery:F0}",
                $"{search.MeanUs:F0}",
                Difference.Format(row.LatencyDifferencePercent));
        }

        return table;
    }

    private static Table Create(params string[] columns)
    {
        var table = new Table();
        table.AddColumn(columns[0]);
        foreach (string column in columns[1..])
            table.AddColumn(column, c => c.RightAligned());
        return table;
    }
}
