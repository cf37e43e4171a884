using System.Runtime.InteropServices;

namespace VectorPipe.Devices;

/// <summary>The part of <c>struct statx</c> (256 bytes) that tells the alignment of direct access; Linux 6.1 and newer.</summary>
[StructLayout(LayoutKind.Explicit, Size = 256)]
internal struct LinuxStatx
{
    /// <summary>STATX_DIOALIGN.</summary>
    public const uint DirectAlignmentMask = 0x2000;

    [FieldOffset(0)]
    public uint Mask;

    [FieldOffset(152)]
    public uint DirectMemoryAlignment;

    [FieldOffset(156)]
    public uint DirectOffsetAlignment;
}
