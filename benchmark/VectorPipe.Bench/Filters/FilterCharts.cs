using VectorPipe.Measuring.Charts;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench.Filters;

/// <summary>Charts of searches with filters: their costs and recall against the share of rows that match, a line for each shape.</summary>
internal static class FilterCharts
{
    public static Chart Create(FilterBenchArguments arguments, string device, IReadOnlyList<FilterResultRow> rows)
    {
        string parameters =
            $"{Path.GetFileName(arguments.Base)}, {device}, k {arguments.K}, target recall {arguments.TargetRecall}, "
            + $"{arguments.ThreadCounts[0]} threads, {arguments.QueriesInFlight} queries in flight per thread; "
            + $"{HostFacts.Processor}, {Environment.ProcessorCount} processors, commit {HostFacts.WorkingCommit}";
        Axis share = Axis.Log("share of rows that match", rows.Select(row => row.Selectivity));
        ChartPanel Panel(string title, string label, Func<FilterResultRow, double> value) =>
            ChartPanel.Create(title, label, share, rows, row => row.Shape, row => row.Selectivity, value);
        return new Chart("Searches with filters", parameters,
        [
            new ChartSection(
            [
                Panel("Reads", "reads per query", row => row.ReadsPerQuery),
                Panel("Throughput", "queries per second", row => row.Qps),
                Panel("Recall", "recall", row => row.Recall),
                Panel("Codes", "code distances per query", row => row.CodeDistancesPerQuery),
            ]),
        ]);
    }
}
