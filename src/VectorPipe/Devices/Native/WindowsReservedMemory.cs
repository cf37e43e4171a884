using System.ComponentModel;
using System.Runtime.InteropServices;

namespace VectorPipe.Devices.Native;

/// <summary>Memory of Windows, which is there only where it was asked for: VirtualAlloc and VirtualFree.</summary>
internal sealed unsafe partial class WindowsReservedMemory : IReservedMemory
{
    private const uint Commit = 0x1000;
    private const uint ReserveAddresses = 0x2000;
    private const uint Decommit = 0x4000;
    private const uint Release = 0x8000;
    private const uint ReadWrite = 0x04;

    public byte* Reserve(long bytes)
    {
        nint memory = VirtualAlloc(0, (nuint)bytes, ReserveAddresses, ReadWrite);
        return memory != 0
            ? (byte*)memory
            : throw new InsufficientMemoryException($"Cannot reserve {bytes:N0} bytes of address space: {LastError()}");
    }

    public void Take(byte* first, long bytes)
    {
        if (VirtualAlloc((nint)first, (nuint)bytes, Commit, ReadWrite) == 0)
            throw new InsufficientMemoryException($"Cannot take {bytes:N0} bytes of memory: {LastError()}");
    }

    public void GiveBack(byte* first, long bytes)
    {
        if (VirtualFree((nint)first, (nuint)bytes, Decommit) == 0)
            throw MappedReservedMemory.NotGivenBack(LastError());
    }

    public void Free(byte* first, long bytes) => _ = VirtualFree((nint)first, 0, Release);

    private static string LastError() => new Win32Exception(Marshal.GetLastPInvokeError()).Message;

    [LibraryImport("kernel32", SetLastError = true)]
    private static partial nint VirtualAlloc(nint address, nuint size, uint kind, uint protection);

    [LibraryImport("kernel32", SetLastError = true)]
    private static partial int VirtualFree(nint address, nuint size, uint kind);
}
