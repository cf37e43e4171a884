using VectorPipe.Measuring.Latency;

namespace VectorPipe.Bench.Runs;

/// <summary>What a run gave and cost, all threads together, while it was measured.</summary>
internal sealed record RunMeasurement
{
    /// <summary>Operations that completed correctly.</summary>
    public required long Operations { get; init; }

    /// <summary>Operations a second: the sum over the threads, each over its own time.</summary>
    public required double OperationsPerSecond { get; init; }

    /// <summary>Latencies of all operations.</summary>
    public required LatencyHistogram Latencies { get; init; }

    /// <summary>Reads accepted by the device.</summary>
    public required long Reads { get; init; }

    /// <summary>System calls of the device queues.</summary>
    public required long SystemCalls { get; init; }

    /// <summary>Mean number of reads in flight, over time.</summary>
    public required double MeanQueueDepth { get; init; }

    /// <summary>Processor time of the process.</summary>
    public required double CpuSeconds { get; init; }

    /// <summary>Processor time of the run threads; null where the operating system does not say.</summary>
    public required double? RunThreadCpuNs { get; init; }

    /// <summary>
    /// Processor time of the run threads, an operation; null where the operating system does not say, or nothing was done.
    /// </summary>
    public double? RunThreadCpuNsPerOperation => Operations == 0 ? null : RunThreadCpuNs / Operations;

    /// <summary>Managed memory allocated by all threads but the one that reports progress.</summary>
    public required long AllocatedBytes { get; init; }

    /// <summary>Garbage collections of any generation.</summary>
    public required int Collections { get; init; }

    /// <summary>Seconds between the end of the run and the end of its last thread: reads under way are waited for.</summary>
    public required double ExitLagSeconds { get; init; }
}
