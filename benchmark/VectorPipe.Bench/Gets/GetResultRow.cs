using System.Text.Json.Nodes;
using VectorPipe.Bench.Runs;

namespace VectorPipe.Bench.Gets;

/// <summary>The figures of one number of threads.</summary>
/// <param name="BatchSize">Keys per look-up.</param>
internal sealed record GetResultRow(int Threads, int BatchSize, RunMeasurement Run)
{
    /// <summary>Reads per key.</summary>
    public double ReadsPerOperation => Run.Reads / (double)Math.Max(1, Run.Operations);

    /// <summary>The columns of JSON and CSV. The first error ends a run, so a row has none.</summary>
    public IReadOnlyList<KeyValuePair<string, JsonNode?>> ToColumns()
    {
        double operations = Math.Max(1, Run.Operations);
        return
        [
            new("ops_per_second", Run.OperationsPerSecond),
            new("reads_per_op", ReadsPerOperation),
            new("threads", Threads),
            new("batch_size", BatchSize),
            new("syscalls_per_read", Run.SystemCalls / (double)Math.Max(1, Run.Reads)),
            new("cpu_us_per_op", Run.CpuSeconds * 1e6 / operations),
            .. Run.Latencies.ToColumns(),
            new("mean_queue_depth", Run.MeanQueueDepth),
            new("allocated_bytes_per_op", Run.AllocatedBytes / operations),
            new("gcs", Run.Collections),
            new("errors", 0),
        ];
    }
}
