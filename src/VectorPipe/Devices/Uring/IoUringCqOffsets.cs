using System.Runtime.InteropServices;

namespace VectorPipe.Devices.Uring;

/// <summary><c>struct io_cqring_offsets</c>, 40 bytes.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct IoUringCqOffsets
{
    public uint Head;
    public uint Tail;
    public uint RingMask;
    public uint RingEntries;
    public uint Overflow;
    public uint Cqes;
    public uint Flags;
    public uint Reserved;
    public ulong UserAddress;
}
