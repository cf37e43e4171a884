namespace VectorPipe.Bench.Runs;

/// <summary>What the process has cost so far, or between two points in time.</summary>
/// <param name="Cpu">Processor time of all threads.</param>
/// <param name="AllocatedBytes">Managed memory allocated by all threads but the calling one, which reports progress.</param>
/// <param name="Collections">Garbage collections of any generation.</param>
internal readonly record struct RunCosts(TimeSpan Cpu, long AllocatedBytes, int Collections)
{
    /// <summary>So far. All points of a run are taken on the same thread.</summary>
    public static RunCosts Now() => new(
        Environment.CpuUsage.TotalTime,
        GC.GetTotalAllocatedBytes(precise: true) - GC.GetAllocatedBytesForCurrentThread(),
        GC.CollectionCount(0));

    /// <summary>What came between.</summary>
    public static RunCosts operator -(RunCosts after, RunCosts before) => new(
        after.Cpu - before.Cpu, after.AllocatedBytes - before.AllocatedBytes, after.Collections - before.Collections);
}
