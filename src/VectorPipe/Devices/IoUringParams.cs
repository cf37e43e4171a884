using System.Runtime.InteropServices;

namespace VectorPipe.Devices;

/// <summary>What io_uring_setup(2) takes and tells: <c>struct io_uring_params</c>, 120 bytes.</summary>
[StructLayout(LayoutKind.Explicit, Size = 120)]
internal struct IoUringParams
{
    [FieldOffset(0)]
    public uint SqEntries;

    [FieldOffset(4)]
    public uint CqEntries;

    [FieldOffset(8)]
    public uint Flags;

    [FieldOffset(20)]
    public uint Features;

    /// <summary>Where the parts of the submission queue lie in the mapping.</summary>
    [FieldOffset(40)]
    public IoUringSqOffsets SqOffsets;

    /// <summary>Where the parts of the completion queue lie in the mapping.</summary>
    [FieldOffset(80)]
    public IoUringCqOffsets CqOffsets;
}
