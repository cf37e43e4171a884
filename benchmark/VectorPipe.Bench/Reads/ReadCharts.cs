using VectorPipe.Bench.Charts;
using VectorPipe.Bench.Commands;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench.Reads;

/// <summary>Charts of a device: IOPS and p99 against the depth, a line for each number of threads.</summary>
internal static class ReadCharts
{
    /// <summary>The chart of some rows.</summary>
    public static Chart Create(DeviceBenchArguments arguments, string device, IReadOnlyList<ReadResultRow> rows)
    {
        string rate = arguments.Rate is { } paced ? $"paced {paced:0.#}/s, " : "";
        string parameters =
            $"{device}, {arguments.ReadBytes} B reads over {arguments.DataMb} MiB, {rate}validation {arguments.Validate}, seed "
            + $"{arguments.Seed}, "
            + $"iterations {arguments.Iterations}; {HostFacts.Processor}, {Environment.ProcessorCount} processors, commit "
            + $"{HostFacts.WorkingCommit}";
        Axis depth = Axis.Log("reads in flight a thread", rows.Select(row => (double)row.Depth));
        return new Chart("Random reads through the pipeline", parameters,
        [
            new ChartSection(
            [
                Panel("Throughput", "reads a second", depth, rows, row => row.Iops),
                Panel("99th percentile of latency", "microseconds", depth, rows, row => row.Run.Latencies.PercentileNs(0.99) / 1e3),
            ]),
        ]);
    }

    private static ChartPanel Panel(
        string title, string label, Axis depth, IReadOnlyList<ReadResultRow> rows, Func<ReadResultRow, double> value) => new(
        title,
        depth,
        Axis.Linear(label, rows.Select(value), fromZero: true),
        [.. rows.GroupBy(row => row.Threads).Select(group => new ChartSeries(
            group.Key == 1 ? "1 thread" : $"{group.Key} threads",
            [.. group.OrderBy(row => row.Depth).Select(row => new ChartPoint(row.Depth, value(row)))]))]);
}
