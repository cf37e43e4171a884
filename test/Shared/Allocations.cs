using System.Diagnostics;
using NUnit.Framework;

namespace VectorPipe.TestHost;

/// <summary>Measures the bytes that code allocates, as the quietest of a few windows.</summary>
/// <remarks>
/// The runtime charges a thread with memory of its own: compiling a method on a thread grew its table of static fields by 16,344 bytes
/// there. Threads of the test host allocate too. Code that allocates does so in every window.
/// </remarks>
internal static class Allocations
{
    private const int Windows = 5;

    // On a busy machine a window is long, and few are without an object of the test host.
    private const int ProcessWindows = 20;

    /// <summary>Skips a test of async methods in a Debug build, where the state of each call is an object.</summary>
    [Conditional("DEBUG")]
    public static void SkipInDebug() => Assert.Ignore("In a Debug build the state of an async method is an object of each call.");

    /// <summary>Bytes that this thread allocates in an action.</summary>
    /// <param name="use">The action; it may run several times.</param>
    /// <param name="enoughBytes">A window that allocates no more is the last.</param>
    public static long OfThread(Action use, long enoughBytes = 0) => OfThread(() => use, enoughBytes);

    /// <summary>Bytes that this thread allocates in an action on objects of its own.</summary>
    /// <param name="prepare">Makes the objects that the action works on, and the action; neither is measured.</param>
    /// <param name="enoughBytes">A window that allocates no more is the last.</param>
    public static long OfThread(Func<Action> prepare, long enoughBytes = 0)
    {
        long least = long.MaxValue;
        for (int window = 0; window < Windows && least > enoughBytes; window++)
        {
            Action use = prepare();
            long before = GC.GetAllocatedBytesForCurrentThread();
            use();
            least = Least(least, GC.GetAllocatedBytesForCurrentThread() - before, enoughBytes);
        }

        return least;
    }

    /// <summary>Bytes that this thread and the whole process allocate in an action.</summary>
    /// <param name="use">The action; it may run several times.</param>
    /// <param name="enoughProcessBytes">A window that allocates no more, and nothing on this thread, is the last.</param>
    public static (long Thread, long Process) Of(Action use, long enoughProcessBytes)
    {
        long thread = long.MaxValue, process = long.MaxValue;
        for (int window = 0; window < ProcessWindows && (thread > 0 || process > enoughProcessBytes); window++)
        {
            long processBefore = GC.GetTotalAllocatedBytes(precise: true);
            long threadBefore = GC.GetAllocatedBytesForCurrentThread();
            use();
            thread = Least(thread, GC.GetAllocatedBytesForCurrentThread() - threadBefore, 0);
            process = Least(process, GC.GetTotalAllocatedBytes(precise: true) - processBefore, enoughProcessBytes);
        }

        return (thread, process);
    }

    /// <summary>Bytes that the whole process allocates in an action.</summary>
    /// <param name="use">The action; it may run several times.</param>
    /// <param name="enoughBytes">A window that allocates no more is the last.</param>
    public static async Task<long> OfProcessAsync(Func<Task> use, long enoughBytes)
    {
        long least = long.MaxValue;
        for (int window = 0; window < ProcessWindows && least > enoughBytes; window++)
        {
            long before = GC.GetTotalAllocatedBytes(precise: true);
            await use();
            least = Least(least, GC.GetTotalAllocatedBytes(precise: true) - before, enoughBytes);
        }

        return least;
    }

    /// <summary>The lesser of two windows; notes one that was not quiet.</summary>
    private static long Least(long least, long bytes, long enoughBytes)
    {
        if (bytes > enoughBytes)
            TestContext.Out.WriteLine($"A window allocated {bytes:N0} bytes, more than {enoughBytes:N0}.");
        return Math.Min(least, bytes);
    }
}
