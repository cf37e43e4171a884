using System.Runtime.InteropServices;
using VectorPipe.Model.Errors;

namespace VectorPipe.Devices.Native;

/// <summary>Memory that is there when it is touched, and is returned by madvise(2): zeros afterwards, as Linux alone promises.</summary>
internal sealed unsafe class LinuxReservedMemory : IReservedMemory
{
    private const int Flags = Libc.MAP_PRIVATE | Libc.MAP_ANONYMOUS | Libc.MAP_NORESERVE;

    public byte* Reserve(long bytes)
    {
        nint mapping = Libc.Mmap(0, (nuint)bytes, Libc.PROT_READ | Libc.PROT_WRITE, Flags, -1, 0);
        if (mapping == -1)
            throw MappedReservedMemory.NoAddresses(bytes, Marshal.GetLastPInvokeError());

        // With huge pages one touched byte would cost two MiB. Failure of the advice is harmless.
        _ = Libc.Madvise(mapping, (nuint)bytes, Libc.MADV_NOHUGEPAGE);
        return (byte*)mapping;
    }

    public void Take(byte* first, long bytes)
    {
    }

    public void GiveBack(byte* first, long bytes)
    {
        if (Libc.Madvise((nint)first, (nuint)bytes, Libc.MADV_DONTNEED) != 0)
            throw MappedReservedMemory.NotGivenBack(Errno.Describe(Marshal.GetLastPInvokeError()));
    }

    public void Free(byte* first, long bytes) => _ = Libc.Munmap((nint)first, (nuint)bytes);
}
