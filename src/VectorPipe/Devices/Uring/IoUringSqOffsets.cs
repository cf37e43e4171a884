using System.Runtime.InteropServices;

namespace VectorPipe.Devices.Uring;

/// <summary><c>struct io_sqring_offsets</c>, 40 bytes.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct IoUringSqOffsets
{
    public uint Head;
    public uint Tail;
    public uint RingMask;
    public uint RingEntries;
    public uint Flags;
    public uint Dropped;
    public uint Array;
    public uint Reserved;
    public ulong UserAddress;
}
