using Microsoft.Win32.SafeHandles;
using VectorPipe.Devices.Native;

namespace VectorPipe.Devices;

/// <summary>Identifies a file of a machine, whatever its name: the device of its file system, and its number there.</summary>
internal readonly record struct FileIdentity(uint DeviceMajor, uint DeviceMinor, ulong Inode)
{
    /// <summary>The identity of an open file; null where the operating system does not report it.</summary>
    public static FileIdentity? Of(SafeFileHandle file)
    {
        if (!Libc.IsSupported)
            return null;
        bool isAdded = false;
        try
        {
            file.DangerousAddRef(ref isAdded);
            return LinuxStatx.TryRead(file.DangerousGetHandle(), LinuxStatx.InodeMask, out LinuxStatx status)
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
