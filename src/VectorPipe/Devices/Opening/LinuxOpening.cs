using System.Numerics;
using Microsoft.Win32.SafeHandles;
using VectorPipe.Devices.Native;
using VectorPipe.Model.Errors;

namespace VectorPipe.Devices.Opening;

/// <summary>Opens files with <c>O_DIRECT</c>, on x64 and arm64.</summary>
internal sealed unsafe class LinuxOpening : IFileOpening
{
    private const int SectorSize = 512;

    // File.OpenHandle would drop the direct flag without an error.
    private const int Flags = Libc.O_RDONLY | Libc.O_CLOEXEC;

    public OpenedFile Open(string path)
    {
        int fd = Libc.Open(path, Flags | Libc.O_DIRECT);
        string reason = fd < 0 ? Errno.Describe(-fd) : "";
        if (fd >= 0)
        {
            int alignment = DirectAlignment(fd);
            if (WhyNotDirect(alignment) is not { } refusal)
                return new OpenedFile(new SafeFileHandle(fd, ownsHandle: true), alignment, Refusal: null);
            _ = Libc.Close(fd);
            reason = refusal;
        }
        else if (fd is not (-Errno.EINVAL or -Errno.EOPNOTSUPP))
        {
            throw new DeviceException($"Cannot open '{path}' for reading", -fd);
        }

        fd = Libc.Open(path, Flags);
        if (fd < 0)
            throw new DeviceException($"Cannot open '{path}' for reading", -fd);
        return new OpenedFile(new SafeFileHandle(fd, ownsHandle: true), Alignment: 1, reason);
    }

    /// <summary>Why a file is not read directly; null if it is.</summary>
    /// <param name="alignment">The alignment that direct access requires; 0 if the file system has no direct access.</param>
    internal static string? WhyNotDirect(int alignment) => alignment switch
    {
        0 => "the file system offers no direct access to it",
        > NativeBuffer.Alignment => $"direct access asks for blocks of {alignment} bytes, more than the {NativeBuffer.Alignment} of a page",
        _ => null,
    };

    /// <summary>The alignment by statx(2), else by a trial read; 0 if the file has no direct access.</summary>
    private static int DirectAlignment(int fd)
    {
        if (LinuxStatx.TryRead(fd, LinuxStatx.DirectAlignmentMask, out LinuxStatx status))
        {
            uint alignment = Math.Max(status.DirectMemoryAlignment, status.DirectOffsetAlignment);
            return status.DirectOffsetAlignment == 0 ? 0 : (int)BitOperations.RoundUpToPowerOf2(alignment);
        }

        using NativeBuffer trial = new(FileOpening.DefaultAlignment);
        return Libc.Pread(fd, trial.Pointer + SectorSize, SectorSize, SectorSize) >= 0 ? SectorSize : FileOpening.DefaultAlignment;
    }
}
