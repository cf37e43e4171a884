using VectorPipe.Measuring.Latency;

namespace VectorPipe.Bench.Runs;

/// <summary>Results and costs of a run, summed over its threads.</summary>
internal sealed record RunMeasurement
{
    /// <summary>Operations that completed correctly.</summary>
    public required long Operations { get; init; }

    /// <summary>Operations per second: the sum over the threads, each by its own time.</summary>
    public required double OperationsPerSecond { get; init; }

    public required LatencyHistogram Latencies { get; init; }

    /// <summary>Reads that the device accepted.</summary>
    public required long Reads { get; init; }

    public required long SystemCalls { get; init; }

    /// <summary>Mean number of reads in flight, over time.</summary>
    public required double MeanQueueDepth { get; init; }

    public required double CpuSeconds { get; init; }

    /// <summary>Processor time of the run threads; null if the operating system cannot tell.</summary>
    public required double? RunThreadCpuNs { get; init; }

    /// <summary>Processor time of the run threads per operation; null if unknown.</summary>
    public double? RunThreadCpuNsPerOperation => Operations == 0 ? null : RunThreadCpuNs / Operations;

    /// <summary>Managed memory that all threads allocated, but for the one that reports progress.</summary>
    public required long AllocatedBytes { get; init; }

    /// <summary>Garbage collections of any generation.</summary>
    public required int Collections { get; init; }

    /// <summary>Seconds for which the garbage collector stopped all threads.</summary>
    public required double PausedSeconds { get; init; }

    /// <summary>Seconds from the end of the run to the end of its last thread, which waits for reads in flight.</summary>
    public required double ExitLagSeconds { get; init; }
}
