using System.Diagnostics;
using System.Runtime.InteropServices;

namespace VectorPipe.Bench.Runs;

/// <summary>The clocks of a measurement: wall-clock ticks, and the processor time of a thread.</summary>
internal static unsafe partial class Clock
{
    // CLOCK_THREAD_CPUTIME_ID of clock_gettime(2).
    private const int ThreadCpuTime = 3;

    private static readonly double _nsPerTick = 1e9 / Stopwatch.Frequency;

    /// <summary>Ticks of <see cref="Stopwatch"/> as nanoseconds.</summary>
    public static long ToNs(long ticks) => Stopwatch.Frequency == 1_000_000_000 ? ticks : (long)(ticks * _nsPerTick);

    /// <summary>Processor time of the calling thread in nanoseconds; null if the operating system cannot tell.</summary>
    public static long? ThreadCpuNs()
    {
        // The fields of the structure have 64 bits on 64-bit Linux only.
        if (!OperatingSystem.IsLinux() || nint.Size != 8)
            return null;
        long* time = stackalloc long[2];
        return ClockGetTime(ThreadCpuTime, time) == 0 ? (time[0] * 1_000_000_000) + time[1] : null;
    }

    [LibraryImport("libc", EntryPoint = "clock_gettime")]
    private static partial int ClockGetTime(int clock, long* time);
}
