using Microsoft.Win32.SafeHandles;
using VectorPipe.Devices.Native;

namespace VectorPipe.Devices.Opening;

/// <summary>The way of this operating system, and what the ways have in common.</summary>
internal static class FileOpening
{
    /// <summary>The alignment of direct reads where no system call reports one: a memory page, and a multiple of nearly every disk's
    /// block.</summary>
    public const int DefaultAlignment = 4096;

    public static IFileOpening OfThisSystem { get; } =
        Libc.IsSupported ? new LinuxOpening()
        : OperatingSystem.IsWindows() ? new WindowsOpening()
        : OperatingSystem.IsMacOS() ? new MacOpening()
        : new BufferedOpening();

    /// <summary>Opens a file that others may write, rename and delete meanwhile: a generation is replaced while it is read.</summary>
    public static SafeFileHandle OpenShared(string path, FileOptions options) =>
        File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete, options);
}
