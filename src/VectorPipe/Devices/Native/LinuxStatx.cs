using System.Runtime.InteropServices;

namespace VectorPipe.Devices.Native;

/// <summary>Parts of <c>struct statx</c>: the identity of a file, and the alignment of direct access (Linux 6.1 and newer).</summary>
[StructLayout(LayoutKind.Explicit, Size = 256)]
internal struct LinuxStatx
{
    /// <summary>STATX_DIOALIGN.</summary>
    public const uint DirectAlignmentMask = 0x2000;

    /// <summary>STATX_INO.</summary>
    public const uint InodeMask = 0x100;

    [FieldOffset(0)] public uint Mask;
    [FieldOffset(32)] public ulong Inode;
    [FieldOffset(136)] public uint DeviceMajor;
    [FieldOffset(140)] public uint DeviceMinor;
    [FieldOffset(152)] public uint DirectMemoryAlignment;
    [FieldOffset(156)] public uint DirectOffsetAlignment;

    /// <summary>Calls statx(2) on an open file; false if it does not report the fields of the mask.</summary>
    public static unsafe bool TryRead(nint descriptor, uint mask, out LinuxStatx status)
    {
        LinuxStatx found = default;
        byte empty = 0;
        nint result = Libc.Syscall(Libc.Statx, descriptor, (nint)(&empty), Libc.AT_EMPTY_PATH, (nint)mask, (nint)(&found), 0);
        status = found;
        return result == 0 && (found.Mask & mask) != 0;
    }
}
