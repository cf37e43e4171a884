using System.Runtime.InteropServices;
using VectorPipe.Devices.Native;

namespace VectorPipe.Devices.Uring;

/// <summary>The system calls of io_uring on the running kernel.</summary>
internal sealed unsafe class LinuxUringSystem : IUringSystem
{
    public static LinuxUringSystem Instance { get; } = new();

    public int Setup(uint entries, IoUringParams* parameters) =>
        Result(Libc.Syscall(Libc.IoUringSetup, (nint)entries, (nint)parameters, 0, 0, 0, 0));

    public int Enter(int fd, uint toSubmit, uint minComplete, uint flags, void* argument, nuint argumentSize) =>
        Result(Libc.Syscall(Libc.IoUringEnter, fd, (nint)toSubmit, (nint)minComplete, (nint)flags, (nint)argument, (nint)argumentSize));

    public int Register(int fd, uint operation, void* argument, uint count) =>
        Result(Libc.Syscall(Libc.IoUringRegister, fd, (nint)operation, (nint)argument, (nint)count, 0, 0));

    public nint Map(int fd, long offset, nuint length)
    {
        nint address = Libc.Mmap(0, length, Libc.PROT_READ | Libc.PROT_WRITE, Libc.MAP_SHARED | Libc.MAP_POPULATE, fd, offset);
        return address == -1 ? -Marshal.GetLastPInvokeError() : address;
    }

    public void Unmap(nint address, nuint length) => _ = Libc.Munmap(address, length);

    public void Close(int fd) => _ = Libc.Close(fd);

    private static int Result(nint result) => result >= 0 ? (int)result : -Marshal.GetLastPInvokeError();
}
