using System.Runtime.InteropServices;

namespace VectorPipe.Devices.Uring;

/// <summary>Input and output of io_uring_setup(2): <c>struct io_uring_params</c>, 120 bytes.</summary>
[StructLayout(LayoutKind.Explicit, Size = 120)]
internal struct IoUringParams
{
    [FieldOffset(0)] public uint SqEntries;
    [FieldOffset(4)] public uint CqEntries;
    [FieldOffset(8)] public uint Flags;

    /// <summary>Milliseconds without a submission after which the polling thread sleeps; 0: the kernel's default.</summary>
    [FieldOffset(16)] public uint SqThreadIdle;
    [FieldOffset(20)] public uint Features;

    /// <summary>Offsets of the submission queue's parts in the mapping.</summary>
    [FieldOffset(40)] public IoUringSqOffsets SqOffsets;

    /// <summary>Offsets of the completion queue's parts in the mapping.</summary>
    [FieldOffset(80)] public IoUringCqOffsets CqOffsets;
}
