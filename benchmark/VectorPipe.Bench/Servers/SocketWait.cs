using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace VectorPipe.Bench.Servers;

/// <summary>Waits for a socket, to the microsecond.</summary>
/// <remarks>
/// The framework's poll counts in whole milliseconds on Unix and returns at once for less, so that a thread that is to send the next
/// command in half of one would spin. ppoll(2) of Linux has no such step; elsewhere a thread may be a millisecond late.
/// </remarks>
internal static partial class SocketWait
{
    private const short Input = 1;

    private static readonly TimeSpan _step = TimeSpan.FromMilliseconds(1);

    /// <summary>Whether there are bytes to read, or the end of the connection, within a time.</summary>
    public static bool ForBytes(Socket socket, TimeSpan time)
    {
        if (!OperatingSystem.IsLinux())
            return socket.Poll(time > TimeSpan.Zero && time < _step ? _step : time, SelectMode.SelectRead);
        var asked = new PollDescriptor { Descriptor = (int)socket.Handle, Events = Input };
        var longest = new TimeSpec { Seconds = (long)time.TotalSeconds, Nanoseconds = time.Ticks % TimeSpan.TicksPerSecond * 100 };

        // Not after a signal: the caller comes again.
        return Poll(ref asked, 1, ref longest, 0) > 0;
    }

    [LibraryImport("libc", EntryPoint = "ppoll")]
    private static partial int Poll(ref PollDescriptor descriptors, nuint count, ref TimeSpec longest, nint signals);

    [StructLayout(LayoutKind.Sequential)]
    private struct PollDescriptor
    {
        public int Descriptor;
        public short Events;
        public short Returned;
    }

    [StructLayout(LayoutKind.Sequential)]
    private struct TimeSpec
    {
        public long Seconds;
        public long Nanoseconds;
    }
}
