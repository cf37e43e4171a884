using System.Runtime.InteropServices;
using VectorPipe.Model.Errors;

namespace VectorPipe.Devices.Native;

/// <summary>Memory that is there when it is touched, and is replaced by a new mapping when it is given back: any Unix.</summary>
/// <remarks>macOS keeps pages that madvise(2) says are not needed; a mapping in the place of another frees them at once.</remarks>
internal sealed unsafe class MappedReservedMemory : IReservedMemory
{
    private const int MapFixed = 0x10;

    // MAP_ANON and MAP_NORESERVE have numbers of their own on macOS.
    private static readonly int _flags = Libc.MAP_PRIVATE
        | (OperatingSystem.IsMacOS() ? 0x1000 | 0x40 : Libc.MAP_ANONYMOUS | Libc.MAP_NORESERVE);

    public byte* Reserve(long bytes)
    {
        nint mapping = Map(0, bytes, _flags);
        return mapping != -1 ? (byte*)mapping : throw NoAddresses(bytes, Marshal.GetLastPInvokeError());
    }

    public void Take(byte* first, long bytes)
    {
    }

    public void GiveBack(byte* first, long bytes)
    {
        if (Map((nint)first, bytes, _flags | MapFixed) == -1)
            throw NotGivenBack(Errno.Describe(Marshal.GetLastPInvokeError()));
    }

    public void Free(byte* first, long bytes) => _ = Libc.Munmap((nint)first, (nuint)bytes);

    public static InsufficientMemoryException NoAddresses(long bytes, int error) =>
        new($"Cannot reserve {bytes:N0} bytes of address space: {Errno.Describe(error)}");

    public static InvalidOperationException NotGivenBack(string why) => new($"Cannot give back memory: {why}");

    private static nint Map(nint address, long bytes, int flags) =>
        Libc.Mmap(address, (nuint)bytes, Libc.PROT_READ | Libc.PROT_WRITE, flags, -1, 0);
}
