using System.Text.Json.Nodes;
using VectorPipe.Bench.Runs;

namespace VectorPipe.Bench.Reads;

/// <summary>The figures of a depth and a number of threads.</summary>
internal sealed record ReadResultRow
{
    /// <summary>Reads per second.</summary>
    public required double Iops { get; init; }

    /// <summary>Most reads in flight per thread.</summary>
    public required int Depth { get; init; }

    public required int Threads { get; init; }

    public required int ReadBytes { get; init; }

    public required RunMeasurement Run { get; init; }

    /// <summary>Processor time of the run thread for the device's copy; null but for the inline memory device.</summary>
    public required double? CopyNsPerRead { get; init; }

    /// <summary>Processor time of the run thread without copy, validation and clocks; null if it was not measured.</summary>
    public required double? PipelineNsPerRead { get; init; }

    /// <summary>Processor time of the run thread for validation; null if it was not measured.</summary>
    public required double? VerifyNsPerRead { get; init; }

    /// <param name="bare">The same run without validation and clocks; may be null.</param>
    /// <param name="copied">The device's copies alone, if the run thread makes them; else null.</param>
    /// <param name="validated">The same run without clocks; may be null.</param>
    public static ReadResultRow Create(
        RunMeasurement run, RunMeasurement? bare, RunMeasurement? copied, RunMeasurement? validated, int depth, int threads, int readBytes)
    {
        double? bareNs = bare?.RunThreadCpuNsPerOperation;
        return new ReadResultRow
        {
            Iops = run.OperationsPerSecond,
            Depth = depth,
            Threads = threads,
            ReadBytes = readBytes,
            Run = run,
            CopyNsPerRead = copied?.RunThreadCpuNsPerOperation,
            PipelineNsPerRead = bareNs - (copied?.RunThreadCpuNsPerOperation ?? 0),
            VerifyNsPerRead = validated?.RunThreadCpuNsPerOperation - bareNs,
        };
    }

    /// <summary>The columns of JSON and CSV. The first error ends a run, so a row has none.</summary>
    public IReadOnlyList<KeyValuePair<string, JsonNode?>> ToColumns()
    {
        double reads = Math.Max(1, Run.Operations);
        return
        [
            new("iops", Iops),
            new("depth", Depth),
            new("threads", Threads),
            new("read_bytes", ReadBytes),
            new("syscalls_per_read", Run.SystemCalls / reads),
            new("cpu_us_per_read", Run.CpuSeconds * 1e6 / reads),
            .. Run.Latencies.ToColumns(),
            new("mean_queue_depth", Run.MeanQueueDepth),
            new("allocated_bytes_per_read", Run.AllocatedBytes / reads),
            new("gcs", Run.Collections),
            new("errors", 0),
            new("pipeline_ns_per_read", PipelineNsPerRead),
            new("verify_ns_per_read", VerifyNsPerRead),
            new("copy_ns_per_read", CopyNsPerRead),
        ];
    }
}
