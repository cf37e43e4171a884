using System.Runtime.InteropServices;

namespace VectorPipe.Devices.Native;

/// <summary>
/// The parts of <c>struct statx</c> (256 bytes) that tell which file it is, and the alignment of direct access (Linux 6.1 and newer).
/// </summary>
[StructLayout(LayoutKind.Explicit, Size = 256)]
internal struct LinuxStatx
{
    /// <summary>STATX_DIOALIGN.</summary>
    public const uint DirectAlignmentMask = 0x2000;

    /// <summary>STATX_INO.</summary>
    public const uint InodeMask = 0x100;

    [FieldOffset(0)]
    public uint Mask;

    [FieldOffset(32)]
    public ulong Inode;

    [FieldOffset(136)]
    public uint DeviceMajor;

    [FieldOffset(140)]
    public uint DeviceMinor;

    [FieldOffset(152)]
    public uint DirectMemoryAlignment;

    [FieldOffset(156)]
    public uint DirectOffsetAlignment;
}
