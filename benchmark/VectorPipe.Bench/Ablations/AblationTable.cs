using Spectre.Console;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench.Ablations;

/// <summary>The table of an ablation at one recall, a line for each step.</summary>
internal static class AblationTable
{
    public static Table Create(int k, double recall, IEnumerable<AblationRow> rows)
    {
        Table table = FigureTable.Create(
            rows, startsWithName: true,
            ("step", row => row.Step.Name),
            ("knob", row => row.IsMeasured ? new KnobScale(row.Step.Policy, k).Show(row.Knob) : "skipped"),
            Figure("recall", row => row.ShownRecall),
            Figure("reads", row => $"{row.Of(figures => figures.ReadsPerQuery):F2}"),
            Figure("cached", row => $"{row.Of(figures => figures.CacheHitsPerQuery):F2}"),
            Figure("rounds", row => $"{row.Of(figures => figures.RoundsPerQuery):F1}"),
            Figure("code dist.", row => $"{row.Of(figures => figures.CodeDistancesPerQuery):F0}"),
            Figure("exact", row => $"{row.Of(figures => figures.ExactDistancesPerQuery):F0}"),
            Figure("cpu µs", row => $"{row.Of(figures => figures.CpuUsPerQuery):F0}"),
            Figure("compute", row => $"{row.Of(figures => figures.ComputeUsPerQuery):F0}"),
            Figure("QPS", row => $"{row.Of(figures => figures.Qps):F0}"),
            Figure("p50 µs", row => $"{row.Of(figures => figures.P50Us):F0}"),
            Figure("p99 µs", row => $"{row.Of(figures => figures.P99Us):F0}"),
            Figure("p99.9 µs", row => $"{row.Of(figures => figures.P999Us):F0}"),
            Figure("reads/s", row => $"{row.ReadsPerSecond:F0}"),
            Figure("of device", row => row.DeviceShare is { } share ? $"{share:P0}" : "-"));
        table.Title = new TableTitle($"recall@{k} {recall:G4}");
        return table;
    }

    private static (string Heading, Func<AblationRow, string> Cell) Figure(string heading, Func<AblationRow, string> cell) =>
        (heading, row => row.IsMeasured ? cell(row) : "");
}
