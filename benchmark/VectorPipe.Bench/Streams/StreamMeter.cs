using System.Diagnostics;
using VectorPipe.Devices;

namespace VectorPipe.Bench.Streams;

/// <summary>Measures time, processor time and allocations of a run on the calling thread.</summary>
internal readonly struct StreamMeter(long from, TimeSpan cpu, long allocated)
{
    public static StreamMeter Start() =>
        new(Stopwatch.GetTimestamp(), Environment.CpuUsage.TotalTime, GC.GetAllocatedBytesForCurrentThread());

    /// <summary>The row of the run, which ends here.</summary>
    public StreamResultRow End(string kind, int lookAhead, int burst, long pages, DeviceCounters before, DeviceCounters after, long? waits)
    {
        // First, because the row is not part of the run.
        long allocatedBytes = GC.GetAllocatedBytesForCurrentThread() - allocated;
        return new StreamResultRow
        {
            Kind = kind,
            LookAhead = lookAhead,
            Burst = burst,
            Pages = pages,
            Seconds = Stopwatch.GetElapsedTime(from).TotalSeconds,
            CpuSeconds = (Environment.CpuUsage.TotalTime - cpu).TotalSeconds,
            Reads = after.Reads - before.Reads,
            SystemCalls = after.SystemCalls - before.SystemCalls,
            Waits = waits,
            AllocatedBytes = allocatedBytes,
        };
    }
}
