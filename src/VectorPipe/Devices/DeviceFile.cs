using System.Numerics;
using Microsoft.Extensions.Logging;
using Microsoft.Win32.SafeHandles;
using VectorPipe.Devices.Native;
using VectorPipe.Model.Errors;

namespace VectorPipe.Devices;

/// <summary>A file opened for reading, past the page cache where the operating system and the file system allow it.</summary>
/// <remarks>Immutable; may be shared by threads. Its device owns and disposes it.</remarks>
internal sealed unsafe class DeviceFile : IDisposable
{
    /// <summary>The alignment of a disk that reports none: a memory page.</summary>
    private const int DefaultAlignment = 4096;

    private const int SectorSize = 512;

    private DeviceFile(string path, SafeFileHandle handle, int alignment, bool isDirect)
    {
        Path = path;
        Handle = handle;
        Alignment = alignment;
        IsDirect = isDirect;
        Length = RandomAccess.GetLength(handle);
    }

    /// <summary>The path as the caller wrote it.</summary>
    public string Path { get; }

    public SafeFileHandle Handle { get; }

    /// <summary>The descriptor behind <see cref="Handle"/>; valid until disposal.</summary>
    public int Descriptor => (int)Handle.DangerousGetHandle();

    public long Length { get; }

    /// <summary>Offsets, lengths and addresses must be multiples of this; 1 if reads go through the page cache.</summary>
    public int Alignment { get; }

    /// <summary>Whether reads bypass the page cache.</summary>
    public bool IsDirect { get; }

    /// <summary>Opens a file; through the page cache, with a warning, if it cannot be read directly.</summary>
    public static DeviceFile Open(string path, ILogger logger)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        return Libc.IsSupported ? OpenLinux(path, logger) : OpenPortable(path);
    }

    public void Dispose() => Handle.Dispose();

    /// <summary>Why a file is not read directly; null if it is.</summary>
    /// <param name="alignment">The alignment that direct access requires; 0 if the file system has no direct access.</param>
    internal static string? WhyNotDirect(int alignment) => alignment switch
    {
        0 => "the file system offers no direct access to it",
        > NativeBuffer.Alignment => $"direct access asks for blocks of {alignment} bytes, more than the {NativeBuffer.Alignment} of a page",
        _ => null,
    };

    private static DeviceFile OpenPortable(string path)
    {
        try
        {
            return new DeviceFile(
                path, File.OpenHandle(path, share: FileShare.ReadWrite | FileShare.Delete, options: FileOptions.RandomAccess), alignment: 1,
                isDirect: false);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new DeviceException($"Cannot open '{path}' for reading: {e.Message}", e);
        }
    }

    private static DeviceFile OpenLinux(string path, ILogger logger)
    {
        // File.OpenHandle would drop the direct flag without an error.
        const int flags = Libc.O_RDONLY | Libc.O_CLOEXEC;
        int fd = Libc.Open(path, flags | Libc.O_DIRECT);
        string reason = fd < 0 ? Errno.Describe(-fd) : "";
        if (fd >= 0)
        {
            int alignment = DirectAlignment(fd);
            if (WhyNotDirect(alignment) is not { } refusal)
                return Own(path, fd, alignment, isDirect: true);
            _ = Libc.Close(fd);
            reason = refusal;
        }
        else if (fd is not (-Errno.EINVAL or -Errno.EOPNOTSUPP))
        {
            throw new DeviceException($"Cannot open '{path}' for reading", -fd);
        }

        fd = Libc.Open(path, flags);
        if (fd < 0)
            throw new DeviceException($"Cannot open '{path}' for reading", -fd);
        DeviceLog.DirectRefused(logger, path, reason);
        return Own(path, fd, alignment: 1, isDirect: false);
    }

    private static DeviceFile Own(string path, int fd, int alignment, bool isDirect)
    {
        SafeFileHandle handle = new(fd, ownsHandle: true);
        try
        {
            if ((File.GetAttributes(path) & FileAttributes.Directory) != 0)
                throw new DeviceException($"Expected a file, found a directory: '{path}'");
            return new DeviceFile(path, handle, alignment, isDirect);
        }
        catch
        {
            handle.Dispose();
            throw;
        }
    }

    /// <summary>The alignment by statx(2), else by a trial read; 0 if the file has no direct access.</summary>
    private static int DirectAlignment(int fd)
    {
        if (LinuxStatx.TryRead(fd, LinuxStatx.DirectAlignmentMask, out LinuxStatx status))
        {
            uint alignment = Math.Max(status.DirectMemoryAlignment, status.DirectOffsetAlignment);
            return status.DirectOffsetAlignment == 0 ? 0 : (int)BitOperations.RoundUpToPowerOf2(alignment);
        }

        using NativeBuffer trial = new(DefaultAlignment);
        return Libc.Pread(fd, trial.Pointer + SectorSize, SectorSize, SectorSize) >= 0 ? SectorSize : DefaultAlignment;
    }
}
