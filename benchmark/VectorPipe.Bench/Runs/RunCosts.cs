namespace VectorPipe.Bench.Runs;

/// <summary>Costs of the process since its start, or between two points in time.</summary>
/// <param name="Cpu">Processor time of all threads.</param>
/// <param name="Paused">Time for which the collector stopped all threads.</param>
/// <param name="AllocatedBytes">Managed memory that all threads allocated, but for the calling one, which reports progress.</param>
internal readonly record struct RunCosts(TimeSpan Cpu, long AllocatedBytes, int Collections, TimeSpan Paused)
{
    /// <summary>Costs so far. Call it on the same thread throughout a run.</summary>
    public static RunCosts Now() => new(
        Environment.CpuUsage.TotalTime,
        GC.GetTotalAllocatedBytes(precise: true) - GC.GetAllocatedBytesForCurrentThread(),
        GC.CollectionCount(0),
        GC.GetTotalPauseDuration());

    public static RunCosts operator -(RunCosts after, RunCosts before) => new(
        after.Cpu - before.Cpu, after.AllocatedBytes - before.AllocatedBytes, after.Collections - before.Collections,
        after.Paused - before.Paused);
}
