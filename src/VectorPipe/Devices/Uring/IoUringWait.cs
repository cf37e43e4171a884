using System.Runtime.InteropServices;

namespace VectorPipe.Devices.Uring;

/// <summary>The extended argument of io_uring_enter(2), <c>struct io_uring_getevents_arg</c>, and the time that it points to.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct IoUringWait
{
    /// <summary>Bytes of the argument, without the time.</summary>
    public const int ArgumentSize = 24;

    public ulong SignalMask;
    public uint SignalMaskSize;
    public uint MinWaitUs;
    public ulong TimeAddress;
    public long Seconds;
    public long Nanoseconds;
}
