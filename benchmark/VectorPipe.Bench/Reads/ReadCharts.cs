using VectorPipe.Measuring.Charts;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench.Reads;

/// <summary>Charts of a device: IOPS and p99 against depth, with a line for each number of threads.</summary>
internal static class ReadCharts
{
    public static Chart Create(DeviceBenchArguments arguments, string device, IReadOnlyList<ReadResultRow> rows)
    {
        string rate = arguments.Rate is { } paced ? $"paced {paced:0.#}/s, " : "";
        string parameters =
            $"{device}, {arguments.ReadBytes} B reads over {arguments.DataMb} MiB, {rate}validation {arguments.Validate}, seed "
            + $"{arguments.Seed}, iterations {arguments.Iterations}; "
            + $"{HostFacts.Processor}, {Environment.ProcessorCount} processors, commit {HostFacts.WorkingCommit}";
        Axis depth = Axis.Log("reads in flight per thread", rows.Select(row => (double)row.Depth));
        ChartPanel Panel(string title, string label, Func<ReadResultRow, double> value) => ChartPanel.Create(
            title, label, depth, rows, row => row.Threads == 1 ? "1 thread" : $"{row.Threads} threads", row => row.Depth, value);
        return new Chart("Random reads through the pipeline", parameters,
        [
            new ChartSection(
            [
                Panel("Throughput", "reads per second", row => row.Iops),
                Panel("99th percentile of latency", "microseconds", row => row.Run.Latencies.PercentileNs(0.99) / 1e3),
            ]),
        ]);
    }
}
