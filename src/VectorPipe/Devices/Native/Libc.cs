using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using VectorPipe.Model.Errors;

namespace VectorPipe.Devices.Native;

/// <summary>The C library and the Linux system calls that the devices use, on x64 and arm64; <see cref="Open"/> on any Unix,
/// <see cref="FcntlOfMac"/> on macOS.</summary>
/// <remarks>
/// No call suppresses the GC transition: a thread that waits in the kernel must not delay a collection. <c>syscall</c> and <c>fcntl</c> are
/// variadic in C; these two architectures pass integer arguments alike.
/// </remarks>
internal static unsafe partial class Libc
{
    public const int O_RDONLY = 0;
    public const int O_CLOEXEC = 0x80000;
    public const int F_GETFL = 3;
    public const int F_SETFL = 4;

    /// <summary>Of macOS: whether reads and writes leave nothing in its page cache.</summary>
    public const int F_NOCACHE = 48;

    public const int PROT_READ = 1;
    public const int PROT_WRITE = 2;
    public const int MAP_SHARED = 0x01;
    public const int MAP_PRIVATE = 0x02;
    public const int MAP_ANONYMOUS = 0x20;
    public const int MAP_NORESERVE = 0x4000;
    public const int MAP_POPULATE = 0x8000;
    public const int PRIO_PROCESS = 0;
    public const int POSIX_FADV_WILLNEED = 3;
    public const int MADV_DONTNEED = 4;
    public const int MADV_DONTFORK = 10;
    public const int MADV_HUGEPAGE = 14;
    public const int MADV_NOHUGEPAGE = 15;
    public const int AT_EMPTY_PATH = 0x1000;
    public const int IoUringSetup = 425;
    public const int IoUringEnter = 426;
    public const int IoUringRegister = 427;
    public const int PidfdOpen = 434;
    public const int ProcessMadvise = 440;

    /// <summary>Whether these declarations hold for the running process.</summary>
    public static bool IsSupported =>
        OperatingSystem.IsLinux() && RuntimeInformation.ProcessArchitecture is Architecture.X64 or Architecture.Arm64;

    /// <summary>open(2)'s flag for transfers without the page cache; arm64 has its own value (its 0x4000 means O_DIRECTORY).</summary>
    public static int O_DIRECT => RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? 0x10000 : 0x4000;

    public static int Statx => RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? 291 : 332;

    /// <summary>open(2), repeated after EINTR: a descriptor, or -errno.</summary>
    public static int Open(string path, int flags)
    {
        int descriptor, error;
        do
        {
            descriptor = OpenOnce(path, flags);
            error = Marshal.GetLastPInvokeError();
        }
        while (descriptor < 0 && error == Errno.EINTR);
        return descriptor >= 0 ? descriptor : -error;
    }

    /// <summary>setpriority(2). On Linux, <see cref="PRIO_PROCESS"/> and 0 mean the calling thread.</summary>
    [LibraryImport("libc", EntryPoint = "setpriority")]
    public static partial int SetPriority(int which, int who, int priority);

    /// <summary>getpriority(2).</summary>
    [LibraryImport("libc", EntryPoint = "getpriority")]
    public static partial int GetPriority(int which, int who);

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    public static partial nint Syscall(nint number, nint a, nint b, nint c, nint d, nint e, nint f);

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int OpenOnce(string path, int flags);

    [LibraryImport("libc", EntryPoint = "fcntl", SetLastError = true)]
    public static partial int Fcntl(SafeFileHandle fd, int command, nint argument);

    /// <summary>fcntl(2) for macOS: there arm64 passes what is variadic on the stack alone, x64 in registers.</summary>
    public static int FcntlOfMac(SafeFileHandle fd, int command, nint argument) =>
        FcntlWithStack(fd, command, argument, 0, 0, 0, 0, 0, argument);

    /// <remarks>The first arguments take eight registers on arm64, so the last one is the first on the stack there.</remarks>
    [LibraryImport("libc", EntryPoint = "fcntl", SetLastError = true)]
    private static partial int FcntlWithStack(
        SafeFileHandle fd, int command, nint inRegister, nint register4, nint register5, nint register6, nint register7, nint register8,
        nint onStack);

    [LibraryImport("libc", EntryPoint = "close", SetLastError = true)]
    public static partial int Close(int fd);

    [LibraryImport("libc", EntryPoint = "pread", SetLastError = true)]
    public static partial nint Pread(int fd, void* buffer, nuint count, long offset);

    [LibraryImport("libc", EntryPoint = "posix_fadvise")]
    public static partial int Fadvise(SafeFileHandle fd, long offset, long length, int advice);

    [LibraryImport("libc", EntryPoint = "mmap", SetLastError = true)]
    public static partial nint Mmap(nint address, nuint length, int protection, int flags, int fd, long offset);

    [LibraryImport("libc", EntryPoint = "munmap", SetLastError = true)]
    public static partial int Munmap(nint address, nuint length);

    [LibraryImport("libc", EntryPoint = "madvise", SetLastError = true)]
    public static partial int Madvise(nint address, nuint length, int advice);
}
