using Microsoft.Win32.SafeHandles;
using VectorPipe.Devices.Native;

namespace VectorPipe.Devices;

/// <summary>Tells one file of a machine from every other, whatever its name.</summary>
/// <param name="DeviceMajor">The file system's device, first part.</param>
/// <param name="DeviceMinor">The file system's device, second part.</param>
/// <param name="Inode">The file's number in its file system.</param>
internal readonly record struct FileIdentity(uint DeviceMajor, uint DeviceMinor, ulong Inode)
{
    /// <summary>The identity of an open file; null where the operating system does not tell.</summary>
    public static unsafe FileIdentity? Of(SafeFileHandle file)
    {
        if (!Libc.IsSupported)
            return null;
        LinuxStatx status = default;
        byte empty = 0;
        bool isAdded = false;
        try
        {
            file.DangerousAddRef(ref isAdded);
            nint descriptor = file.DangerousGetHandle();
            nint result =
                Libc.Syscall(Libc.Statx, descriptor, (nint)(&empty), Libc.AT_EMPTY_PATH, (nint)LinuxStatx.InodeMask, (nint)(&status), 0);
            return result == 0
                && (status.Mask & LinuxStatx.InodeMask) != 0
                ? new FileIdentity(status.DeviceMajor, status.DeviceMinor, status.Inode)
                : null;
        }
        finally
        {
            if (isAdded)
                file.DangerousRelease();
        }
    }
}
