using System.Text.Json.Nodes;
using VectorPipe.Bench.Runs;

namespace VectorPipe.Bench.Reads;

/// <summary>The figures of one depth and number of threads.</summary>
internal sealed record ReadResultRow
{
    /// <summary>Reads a second that completed, and if they are validated, correctly.</summary>
    public required double Iops { get; init; }

    /// <summary>Most reads that a thread keeps in flight.</summary>
    public required int Depth { get; init; }

    public required int Threads { get; init; }

    public required int ReadBytes { get; init; }

    /// <summary>What the run cost, and its latencies.</summary>
    public required RunMeasurement Run { get; init; }

    /// <summary>Run-thread processor time of the device's own copy, on the inline memory device; else null.</summary>
    public required double? CopyNsPerRead { get; init; }

    /// <summary>
    /// Run-thread processor time a read, neither validated nor timed, without the device's copy; null if no such run was made.
    /// </summary>
    public required double? PipelineNsPerRead { get; init; }

    /// <summary>What validation adds to it; null if it is not known.</summary>
    public required double? VerifyNsPerRead { get; init; }

    /// <summary>Condenses a run, and the runs that tell its costs apart.</summary>
    /// <param name="run">The run.</param>
    /// <param name="bare">The same, neither validated nor timed; null if there was none.</param>
    /// <param name="copied">The device's copies alone, if the run thread makes them; else null.</param>
    /// <param name="validated">The same, validated and not timed; null if there was none.</param>
    /// <param name="depth">Most reads of a thread in flight.</param>
    /// <param name="threads">Run threads.</param>
    /// <param name="readBytes">Bytes of a read.</param>
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

    /// <summary>
    /// Names and values of the columns, in order: the same in JSON and CSV. A run ends with its first error: a row has none.
    /// </summary>
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
