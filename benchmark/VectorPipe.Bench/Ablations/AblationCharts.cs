using VectorPipe.Bench.Charts;
using VectorPipe.Bench.Commands;
using VectorPipe.Measuring.Output;
using VectorPipe.Measuring.Searches;
using VectorPipe.Searching.Graph;

namespace VectorPipe.Bench.Ablations;

/// <summary>Charts of an ablation: what a query costs, step by step, a line for each recall.</summary>
internal static class AblationCharts
{
    /// <summary>The chart of some rows.</summary>
    public static Chart Create(AblateBenchArguments arguments, string what, IReadOnlyList<AblationRow> rows)
    {
        AblationRow[] measured = [.. rows.Where(row => row.IsMeasured)];
        string steps = string.Join(
            ", ", rows.DistinctBy(row => row.Number).Select(row => $"{row.Number} {row.Step.Name}{(row.IsMeasured ? "" : " (skipped)")}"));
        string parameters =
            $"Steps: {steps}. {what}, k {arguments.K}, W {arguments.BeamWidth ?? GraphKind.FixedReads}, {arguments.ThreadCounts[0]} "
            + $"threads, {arguments.QueriesInFlight} queries in flight a thread; "
            + $"{HostFacts.Processor}, {Environment.ProcessorCount} processors, commit {HostFacts.WorkingCommit}";
        Axis number = Axis.Linear("step", measured.Select(row => (double)row.Number), fromZero: false, wholeNumbers: true);
        ChartPanel Panel(string title, string label, Func<SearchResultRow, double> value) => new(
            title,
            number,
            Axis.Linear(label, measured.Select(row => row.Of(value)), fromZero: true),
            [.. measured.GroupBy(row => row.WantedRecall).Select(group => new ChartSeries(
                $"recall {group.Key:G4}",
                [.. group.OrderBy(row => row.Number).Select(row => new ChartPoint(row.Number, row.Of(value)))]))]);
        return new Chart("Ablation at equal recall", parameters,
        [
            new ChartSection(
            [
                Panel("Reads", "reads a query", row => row.ReadsPerQuery),
                Panel("Rounds", "rounds a query", row => row.RoundsPerQuery),
                Panel("Processor time", "microseconds a query", row => row.CpuUsPerQuery),
                Panel("Throughput", "queries a second", row => row.Qps),
                Panel("Median latency", "microseconds", row => row.P50Us),
                Panel("99.9th percentile of latency", "microseconds", row => row.P999Us),
            ]),
        ]);
    }
}
