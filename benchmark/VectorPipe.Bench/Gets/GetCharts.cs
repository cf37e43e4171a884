using VectorPipe.Measuring.Charts;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench.Gets;

/// <summary>Charts of look-ups: throughput and p99 against threads.</summary>
internal static class GetCharts
{
    public static Chart Create(GetBenchArguments arguments, string device, IReadOnlyList<GetResultRow> rows)
    {
        string parameters =
            $"{device}, {arguments.Keys} keys, {arguments.Distribution}, batches of {arguments.BatchSize}, validation "
            + $"{arguments.Validate}, seed {arguments.Seed}, iterations {arguments.Iterations}; "
            + $"{HostFacts.Processor}, {Environment.ProcessorCount} processors, commit {HostFacts.WorkingCommit}";
        Axis threads = Axis.Linear("threads", rows.Select(row => (double)row.Threads), fromZero: true, wholeNumbers: true);
        ChartPanel Panel(string title, string label, Func<GetResultRow, double> value) =>
            ChartPanel.Create(title, label, threads, rows, row => row.Store, row => row.Threads, value);
        return new Chart("Key look-ups", parameters,
        [
            new ChartSection(
            [
                Panel("Throughput", "keys per second", row => row.Run.OperationsPerSecond),
                Panel("99th percentile of latency", "microseconds", row => row.Run.Latencies.PercentileNs(0.99) / 1e3),
            ]),
        ]);
    }
}
