using System.Diagnostics;
using System.Runtime.InteropServices;

namespace VectorPipe.Bench.Runs;

/// <summary>The clocks of a measurement: wall-clock ticks, and the processor time of a thread.</summary>
internal static unsafe partial class Clock
{
    // CLOCK_THREAD_CPUTIME_ID of clock_gettime(2).
    private const int ThreadCpuTime = 3;

    // CLOCK_MONOTONIC, the clock of Stopwatch on Linux, and TIMER_ABSTIME of clock_nanosleep(2).
    private const int Monotonic = 1;
    private const int Absolute = 1;

    // EINTR.
    private const int Interrupted = 4;

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

    /// <summary>Sleeps until a time in ticks of <see cref="Stopwatch"/>.</summary>
    /// <remarks>About 60 microseconds too long; elsewhere than on Linux, up to some milliseconds.</remarks>
    public static void SleepUntil(long ticks)
    {
        if (!OperatingSystem.IsLinux() || nint.Size != 8)
        {
            using var never = new ManualResetEventSlim();
            TimeSpan left = Stopwatch.GetElapsedTime(Stopwatch.GetTimestamp(), ticks);
            if (left > TimeSpan.Zero)
                never.Wait(left);
            return;
        }

        long ns = ToNs(ticks);
        long* time = stackalloc long[2] { ns / 1_000_000_000, ns % 1_000_000_000 };
        while (ClockNanosleep(Monotonic, Absolute, time, null) == Interrupted)
        {
        }
    }

    [LibraryImport("libc", EntryPoint = "clock_nanosleep")]
    private static partial int ClockNanosleep(int clock, int flags, long* time, long* left);

    [LibraryImport("libc", EntryPoint = "clock_gettime")]
    private static partial int ClockGetTime(int clock, long* time);
}
