using System.Text.Json.Nodes;
using VectorPipe.Bench.Runs;

namespace VectorPipe.Bench.Gets;

/// <summary>The figures of one number of threads.</summary>
/// <param name="Store">Where keys were looked up.</param>
/// <param name="BatchSize">Keys per look-up.</param>
internal sealed record GetResultRow(string Store, int Threads, int BatchSize, RunMeasurement Run)
{
    /// <summary>The store that counts its reads.</summary>
    public const string Own = "VectorPipe";

    /// <summary>Reads per key; null if the store does not count them.</summary>
    public double? ReadsPerOperation => Store == Own ? Run.Reads / (double)Math.Max(1, Run.Operations) : null;

    /// <summary>System calls per read; null if the store does not count them.</summary>
    public double? CallsPerRead => Store == Own ? Run.SystemCalls / (double)Math.Max(1, Run.Reads) : null;

    /// <summary>The columns of JSON and CSV. The first error ends a run, so a row has none.</summary>
    public IReadOnlyList<KeyValuePair<string, JsonNode?>> ToColumns()
    {
        double operations = Math.Max(1, Run.Operations);
        return
        [
            new("store", Store),
            new("ops_per_second", Run.OperationsPerSecond),
            new("reads_per_op", ReadsPerOperation),
            new("threads", Threads),
            new("batch_size", BatchSize),
            new("syscalls_per_read", CallsPerRead),
            new("cpu_us_per_op", Run.CpuSeconds * 1e6 / operations),
            .. Run.Latencies.ToColumns(),
            new("mean_queue_depth", Store == Own ? Run.MeanQueueDepth : null),
            new("allocated_bytes_per_op", Run.AllocatedBytes / operations),
            new("gcs", Run.Collections),
            new("errors", 0),
        ];
    }
}
