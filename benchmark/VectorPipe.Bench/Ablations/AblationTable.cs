using Spectre.Console;

namespace VectorPipe.Bench.Ablations;

/// <summary>The figures of an ablation as a user sees them.</summary>
internal static class AblationTable
{
    /// <summary>A line a step, at one recall.</summary>
    public static Table Create(int k, double recall, IEnumerable<AblationRow> rows)
    {
        var table = new Table { Title = new TableTitle($"recall@{k} {recall:G4}") };
        table.AddColumn("step");
        string[] columns = [
            "knob", "recall", "reads", "cached", "rounds", "code dist.", "exact", "cpu µs", "compute", "QPS", "p50 µs", "p99 µs",
            "p99.9 µs", "reads/s", "of device"];
        foreach (string column in columns)
            table.AddColumn(column, c => c.RightAligned());
        foreach (AblationRow row in rows)
        {
            if (!row.IsMeasured)
            {
                table.AddRow(row.Step.Name, "skipped");
                continue;
            }

            table.AddRow(
                row.Step.Name,
                new KnobScale(row.Step.Policy, k).Show(row.Knob),
                row.ShownRecall,
                $"{row.Of(figures => figures.ReadsPerQuery):F2}",
                $"{row.Of(figures => figures.CacheHitsPerQuery):F2}",
                $"{row.Of(figures => figures.RoundsPerQuery):F1}",
                $"{row.Of(figures => figures.CodeDistancesPerQuery):F0}",
                $"{row.Of(figures => figures.ExactDistancesPerQuery):F0}",
                $"{row.Of(figures => figures.CpuUsPerQuery):F0}",
                $"{row.Of(figures => figures.ComputeUsPerQuery):F0}",
                $"{row.Of(figures => figures.Qps):F0}",
                $"{row.Of(figures => figures.P50Us):F0}",
                $"{row.Of(figures => figures.P99Us):F0}",
                $"{row.Of(figures => figures.P999Us):F0}",
                $"{row.ReadsPerSecond:F0}",
                row.DeviceShare is { } share ? $"{share:P0}" : "-");
        }

        return table;
    }
}
