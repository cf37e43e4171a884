using System.Runtime.InteropServices;

namespace VectorPipe.Devices.Uring;

/// <summary>
/// The extended argument of io_uring_enter(2) (<c>struct io_uring_getevents_arg</c>, 24 bytes), with the time it points to behind it.
/// </summary>
[StructLayout(LayoutKind.Sequential)]
internal struct IoUringWait
{
    /// <summary>Bytes of the argument itself, as the kernel wants to be told.</summary>
    public const int ArgumentSize = 24;

    public ulong SignalMask;
    public uint SignalMaskSize;
    public uint MinWaitUs;
    public ulong TimeAddress;
    public long Seconds;
    public long Nanoseconds;
}
