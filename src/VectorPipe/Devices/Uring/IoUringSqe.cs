using System.Runtime.InteropServices;

namespace VectorPipe.Devices.Uring;

/// <summary>A submission queue entry: <c>struct io_uring_sqe</c>, 64 bytes.</summary>
[StructLayout(LayoutKind.Explicit, Size = 64)]
internal struct IoUringSqe
{
    [FieldOffset(0)] public byte Opcode;
    [FieldOffset(1)] public byte Flags;
    [FieldOffset(4)] public int Fd;
    [FieldOffset(8)] public ulong Offset;
    [FieldOffset(16)] public ulong Address;
    [FieldOffset(24)] public uint Length;

    /// <summary>The union of per-operation flags: rw_flags, cancel_flags.</summary>
    [FieldOffset(28)] public uint OperationFlags;
    [FieldOffset(32)] public ulong UserData;
    [FieldOffset(40)] public ushort BufferIndex;
}
