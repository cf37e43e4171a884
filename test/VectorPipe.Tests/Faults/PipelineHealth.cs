using NUnit.Framework;
using VectorPipe.Pipeline;

namespace VectorPipe.Tests.Faults;

/// <summary>After every case nothing is pending, the pool has all ops and buffers, and no file is open.</summary>
internal static class PipelineHealth
{
    private const int MaxTurns = 10_000;

    /// <summary>Lets reads of ended queries land, on the session's thread, and checks that everything is back.</summary>
    /// <param name="session">The session.</param>
    /// <param name="name">The case, for the message.</param>
    public static void AssertIdle(PendingIoSession session, string name)
    {
        for (int turn = 0; turn < MaxTurns && session.Free < session.Capacity; turn++)
            session.Drain(TimeSpan.FromMilliseconds(1));
        if (session.Pending != 0 || session.Free != session.Capacity || session.IsFaulted)
            Assert.Fail($"{name}: expected an idle session, found {session.Free} of {session.Capacity} free: {session.DescribeInFlight()}");
        if (session.Counters.HighWater > session.Capacity)
            Assert.Fail($"{name}: expected at most {session.Capacity} reads at once, found {session.Counters.HighWater}");
    }

    /// <summary>Open files of a folder. The runtime and other tests open and close files of other folders meanwhile.</summary>
    public static int OpenDescriptors(string folder) => Count(target => target.StartsWith(folder, StringComparison.Ordinal));

    /// <summary>Open rings of the process, for tests without others beside them.</summary>
    public static int OpenRings() => Count(target => target.Contains("[io_uring]", StringComparison.Ordinal));

    private static int Count(Func<string, bool> isCounted) =>
        OperatingSystem.IsLinux() ? Directory.GetFiles("/proc/self/fd").Select(TargetOf)
        .Count(target => target is not null && isCounted(target)) : 0;

    // Another thread may have closed the descriptor after the listing.
    private static string? TargetOf(string link)
    {
        try
        {
            return File.ResolveLinkTarget(link, returnFinalTarget: false)?.FullName;
        }
        catch (FileNotFoundException)
        {
            return null;
        }
    }
}
