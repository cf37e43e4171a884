using System.Text.Json.Nodes;
using Columns = System.Collections.Generic.IReadOnlyList<System.Collections.Generic.KeyValuePair<string, System.Text.Json.Nodes.JsonNode?>>;

namespace VectorPipe.Bench.Builds;

/// <summary>The figures of a build, compared with the build of the first variant.</summary>
internal sealed record BuildResultRow(BuildMeasurement Build, BuildMeasurement First)
{
    /// <summary>Whether all files equal those of the first variant, byte for byte.</summary>
    public bool IsSameAsFirst => Build.Files.SequenceEqual(First.Files);

    public double? CpuDifferencePercent => Difference.Percent(Build.Report.CpuSeconds, First.Report.CpuSeconds);

    public double? OverheadDifferencePercent => Difference.Percent(Build.OverheadBytes, First.OverheadBytes);

    /// <summary>The columns that identify a row: its kind, build or search, and its variant.</summary>
    public static Columns KeyColumns(string row, BuildVariant variant) =>
    [
        new("row", row),
        new("variant", variant.Label),
        new("algorithm", variant.Algorithm),
        new("layout", variant.Layout),
        new("code", variant.Code),
        new("build_threads", variant.Threads),
        new("memory_mb", variant.MemoryMb == 0 ? null : variant.MemoryMb),
    ];

    /// <summary>The phases; those of the graph are summed, because graph builders have different ones.</summary>
    public IReadOnlyList<BuildPhase> Phases =>
    [
        .. Build.Report.Phases
            .GroupBy(phase => phase.Name.StartsWith("graph", StringComparison.Ordinal) ? "graph" : phase.Name)
            .Select(group => new BuildPhase
            {
                Name = group.Key,
                WallSeconds = group.Sum(phase => phase.WallSeconds),
                CpuSeconds = group.Sum(phase => phase.CpuSeconds),
            }),
    ];

    /// <summary>The columns of JSON and CSV.</summary>
    public Columns ToColumns()
    {
        BuildReport report = Build.Report;
        return
        [
            .. KeyColumns("build", Build.Variant),
            new("kind", Build.Variant.Kind),
            new("points", report.Points),
            new("dimension", report.Dimension),
            new("wall_seconds", report.WallSeconds),
            new("cpu_seconds", report.CpuSeconds),
            new("cpu_difference_percent", CpuDifferencePercent),
            new("memory_before_bytes", Build.MemoryBeforeBytes),
            new("memory_peak_bytes", Build.MemoryPeakBytes),
            new("overhead_bytes", Build.OverheadBytes),
            new("overhead_difference_percent", OverheadDifferencePercent),
            new("bytes_read", Build.Io?.ReadBytes),
            new("bytes_written", Build.Io?.WrittenBytes),
            new("index_bytes", report.IndexBytes),
            new("found_themselves", Build.Variant.IsLists ? null : report.FoundThemselves),
            new("degree_mean", Build.Variant.IsLists ? null : report.MeanDegree),
            new("reachable", Build.Variant.IsLists ? null : report.Reachable),
            new("repaired", Build.Variant.IsLists ? null : report.Repaired),
            new("same_as_first", IsSameAsFirst),
            .. Phases.SelectMany(phase => new KeyValuePair<string, JsonNode?>[]
            {
                new($"{phase.Name}_wall_seconds", phase.WallSeconds),
                new($"{phase.Name}_cpu_seconds", phase.CpuSeconds),
            }),
            .. Build.Files.Select(file => new KeyValuePair<string, JsonNode?>($"sha256_{file.Name}", file.Sha256)),
        ];
    }
}
