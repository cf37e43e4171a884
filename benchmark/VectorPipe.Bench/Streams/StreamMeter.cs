using System.Diagnostics;
using VectorPipe.Devices;

namespace VectorPipe.Bench.Streams;

/// <summary>Times, processor time and allocations of a run on the calling thread.</summary>
internal readonly struct StreamMeter
{
    private readonly long _from;
    private readonly TimeSpan _cpu;
    private readonly long _allocated;

    private StreamMeter(long from, TimeSpan cpu, long allocated)
    {
        _from = from;
        _cpu = cpu;
        _allocated = allocated;
    }

    public static StreamMeter Start() =>
        new(Stopwatch.GetTimestamp(), Environment.CpuUsage.TotalTime, GC.GetAllocatedBytesForCurrentThread());

    /// <summary>The row of a run that ends now.</summary>
    public StreamResultRow End(string kind, int lookAhead, int burst, long pages, DeviceCounters before, DeviceCounters after, long? waits)
    {
        // Before anything else: what the row itself allocates is not the run's.
        long allocated = GC.GetAllocatedBytesForCurrentThread() - _allocated;
        return new StreamResultRow
        {
            Kind = kind,
            LookAhead = lookAhead,
            Burst = burst,
            Pages = pages,
            Seconds = Stopwatch.GetElapsedTime(_from).TotalSeconds,
            CpuSeconds = (Environment.CpuUsage.TotalTime - _cpu).TotalSeconds,
            Reads = after.Reads - before.Reads,
            SystemCalls = after.SystemCalls - before.SystemCalls,
            Waits = waits,
            AllocatedBytes = allocated,
        };
    }
}
