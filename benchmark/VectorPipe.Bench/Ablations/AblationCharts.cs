using VectorPipe.Measuring.Charts;
using VectorPipe.Measuring.Output;
using VectorPipe.Measuring.Searches;
using VectorPipe.Searching.Graph;

namespace VectorPipe.Bench.Ablations;

/// <summary>Charts of an ablation: the costs of a query, step by step, with a line for each recall.</summary>
internal static class AblationCharts
{
    public static Chart Create(AblateBenchArguments arguments, string subject, IReadOnlyList<AblationRow> rows)
    {
        AblationRow[] measured = [.. rows.Where(row => row.IsMeasured)];
        string steps = string.Join(
            ", ", rows.DistinctBy(row => row.Number).Select(row => $"{row.Number} {row.Step.Name}{(row.IsMeasured ? "" : " (skipped)")}"));
        string parameters =
            $"Steps: {steps}. {subject}, k {arguments.K}, W {arguments.BeamWidth ?? GraphKind.FixedReads}, {arguments.ThreadCounts[0]} "
            + $"threads, {arguments.QueriesInFlight} queries in flight per thread; "
            + $"{HostFacts.Processor}, {Environment.ProcessorCount} processors, commit {HostFacts.WorkingCommit}";
        Axis number = Axis.Linear("step", measured.Select(row => (double)row.Number), fromZero: false, wholeNumbers: true);
        ChartPanel Panel(string title, string label, Func<SearchResultRow, double> value) => ChartPanel.Create(
            title, label, number, measured, row => $"recall {row.WantedRecall:G4}", row => row.Number, row => row.Of(value));
        return new Chart("Ablation at equal recall", parameters,
        [
            new ChartSection(
            [
                Panel("Reads", "reads per query", row => row.ReadsPerQuery),
                Panel("Rounds", "rounds per query", row => row.RoundsPerQuery),
                Panel("Processor time", "microseconds per query", row => row.CpuUsPerQuery),
                Panel("Throughput", "queries per second", row => row.Qps),
                Panel("Median latency", "microseconds", row => row.P50Us),
                Panel("99.9th percentile of latency", "microseconds", row => row.P999Us),
            ]),
        ]);
    }
}
