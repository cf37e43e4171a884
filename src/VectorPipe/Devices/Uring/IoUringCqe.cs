using System.Runtime.InteropServices;

namespace VectorPipe.Devices.Uring;

/// <summary>A completion queue entry: <c>struct io_uring_cqe</c>, 16 bytes.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct IoUringCqe
{
    public ulong UserData;
    public int Result;
    public uint Flags;
}
